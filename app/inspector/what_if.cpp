#include "app/inspector/what_if.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/compose.h"
#include "app/inspector/what_if_figures.h"
#include "app/inspector/what_if_switches.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/figure_menu.h"
#include "app/views/base/head_switches.h"
#include "engine/core/one_nan.h"
#include "engine/document/stored_model.h"
#include "engine/insight/weight_against_effect.h"
#include "engine/pipeline/generate.h"
#include "engine/pipeline/run_anywhere.h"
#include "imgui.h"

namespace headlight::views {
namespace {

constexpr std::size_t kWords = 8, kFewWords = 4;
constexpr float kFile = 620;  // the width of a picture in a file
constexpr float kLow = 600;   // a lower column has fewer words, so that the map stands in it, too

constexpr std::int64_t kMapAtOnce = 128;  // tokens of a text whose map is made without being asked for

// What was asked of the background lane last. Until it is there nothing newer is asked for, so that a person who types does not
// leave a row of maps behind that nobody will see.
struct Asked {
  DerivedKey key;
  std::weak_ptr<int> working;
};

// What a model that translates writes by itself, without interventions and with those of the document.
struct Translations {
  std::string before, now;
};

// Of the untouched model on the shown sentence; none is a result, too.
struct Contrast {
  std::optional<CounterExample> example;
};

// What lives from frame to frame.
struct WhatIfTransient {
  Asked words, heads, written, contrast;
  std::string model;       // of the document that all of this is about
  std::string map_wanted;  // the long text whose map was asked for, as `named`
  // Of the model without interventions, so that its steps are there when one is switched.
  std::shared_ptr<StepCache> cache = std::make_shared<StepCache>(std::uint64_t{96} << 20);
  std::int32_t token = -1;  // the word that is followed; -1: the most probable one
  std::uint64_t generation = 0;
  std::string named;                               // the untouched document of that trace, as a key
  std::shared_ptr<const PredictionChange> change;  // shown while the next one is computed
  std::shared_ptr<const HeadEffects> effects;
  std::shared_ptr<const Translations> translations;
};

std::uint64_t hash_of(const std::string& text) {
  std::uint64_t hash = 14695981039346656037ull;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ull;
  return hash;
}

template <class T>
Derived::Answer<T> ask(const Context& context, Asked& asked, const DerivedKey& key,
                       std::function<Result<T>(const CancelToken&)> make) {
  if (key == asked.key) return context.derived.later<T>(key, std::move(make));
  if (!asked.working.expired()) return {};
  const auto working = std::make_shared<int>(0);
  asked = {key, working};
  return context.derived.later<T>(key, [make = std::move(make), working](const CancelToken& cancel) { return make(cancel); });
}

bool predicts(const Trace& trace) { return trace.step_at("", Role::logits) != nullptr; }

// The document with the shown sentence alone.
Document single(Document document, std::int64_t batch) {
  const auto at = static_cast<std::size_t>(batch);
  if (at < document.texts.size()) document.texts = {document.texts[at]};
  if (at < document.targets.size()) document.targets = {document.targets[at]};
  return document;
}

// The pinned query, where the queries are what is predicted from.
std::optional<std::int64_t> asked_position(const Context& context, const AttentionChoice& choice) {
  const bool two = !context.trace->targets().empty();
  const auto sentences = two ? context.trace->targets() : context.trace->texts();
  const std::int64_t row = context.view.pinned_row;
  const auto batch = static_cast<std::size_t>(choice.batch);
  if (row < 0 || !choice.site || choice.site->rows_are_targets != two || batch >= sentences.size() ||
      row >= static_cast<std::int64_t>(sentences[batch].tokens.size()))
    return {};
  return row;
}

std::int64_t position_key(const std::optional<std::int64_t>& position) { return position.value_or(-1); }

Derived::Answer<PredictionChange> find_change(const Context& context, const AttentionChoice& choice) {
  const auto trace = context.trace;
  const auto position = asked_position(context, choice);
  const DerivedKey key("what if/words", {trace->generation(), choice.batch, position_key(position)});
  WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
  const auto cache = kept.cache;
  return ask<PredictionChange>(
      context, kept.words, key,
      [trace, position, batch = choice.batch, cache](const CancelToken& cancel) -> Result<PredictionChange> {
        RunOptions options;
        options.cache = cache.get();
        std::shared_ptr<const Trace> now = trace;
        if (trace->texts().size() > 1) {
          HL_ASSIGN(now, run_anywhere(single(trace->document(), batch), cancel, options));
        }
        std::shared_ptr<const Trace> before = now;
        if (!trace->document().interventions.empty()) {
          HL_ASSIGN(before, run_anywhere(untouched(single(trace->document(), batch)), cancel, options));
        }
        return prediction_change(*before, *now, position, kWords);
      });
}

// Whether the document computes as the stored model does, but for its interventions.
bool is_as_stored(const Document& document, const StoredModel& model) {
  Document plain = document;
  use_model(plain, model);
  plain.interventions = document.interventions;
  return plain == document;
}

Result<std::string> translation(std::shared_ptr<const StoredModel> model, const std::vector<Intervention>& interventions,
                                const std::string& text, const CancelToken& cancel) {
  HL_ASSIGN(auto changed, with_interventions(std::move(model), interventions));
  HL_ASSIGN(auto backend, backends::open("cpu"));
  HL_ASSIGN(const Predictor predictor, Predictor::open(std::move(changed), std::move(backend)));
  GenerateOptions how;
  how.tokens = 64;
  how.candidates = 1;
  HL_ASSIGN(const auto made, generate(predictor, {text}, how, cancel));
  return made.front().output;
}

Derived::Answer<Translations> find_translations(const Context& context, const AttentionChoice& choice) {
  const auto trace = context.trace;
  const DerivedKey key("what if/written", {trace->generation(), choice.batch});
  return ask<Translations>(context, context.transient->of<WhatIfTransient>().written, key,
                           [trace, batch = choice.batch](const CancelToken& cancel) -> Result<Translations> {
                             const Document& document = trace->document();
                             const auto model = trace->stored_model();
                             Translations out;
                             if (!model || !is_as_stored(document, *model)) return out;
                             const std::string& text = document.texts[static_cast<std::size_t>(batch)];
                             HL_ASSIGN(out.now, translation(model, document.interventions, text, cancel));
                             HL_ASSIGN(out.before, translation(model, {}, text, cancel));
                             return out;
                           });
}

// Whether heads are replaced by their means, as the selected one is, if it is.
bool by_mean(const Context& context, const AttentionChoice& choice) {
  const auto head = address_from_text(choice.prefix() + "head." + std::to_string(choice.head));
  return head && switches_of(context.trace->document(), *head).out == HeadSwitches::Out::mean;
}

// The trace's document without interventions, as a key; made once a trace.
const std::string& untouched_key(const Context& context) {
  WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
  if (kept.generation != context.trace->generation() || kept.named.empty()) {
    const std::string json = to_json(untouched(context.trace->document()));
    kept.named =
        std::to_string(hash_of(json)) + "." + std::to_string(json.size()) + "." + std::to_string(hash_of("again" + json));
    kept.generation = context.trace->generation();
  }
  return kept.named;
}

// A long text's map takes seconds, so it is made when it is asked for.
bool is_long(const Context& context, const AttentionChoice& choice) {
  return std::max(choice.site->queries, choice.site->keys) > kMapAtOnce &&
         context.transient->of<WhatIfTransient>().map_wanted != untouched_key(context);
}

Derived::Answer<HeadEffects> find_effects(const Context& context, const AttentionChoice& choice, std::int32_t token) {
  const auto trace = context.trace;
  WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
  const auto position = asked_position(context, choice);
  const bool mean = by_mean(context, choice);
  const DerivedKey key("what if/heads", {untouched_key(context), choice.batch, position_key(position), token, mean});
  return ask<HeadEffects>(context, kept.heads, key,
                          [trace, position, batch = choice.batch, token, mean](const CancelToken& cancel) -> Result<HeadEffects> {
                            HL_ASSIGN(const auto backend, backends::open("cpu"));
                            HeadEffectsQuestion question;
                            question.position = position;
                            question.mean = mean;
                            if (token >= 0) question.token = token;
                            return head_effects(untouched(single(trace->document(), batch)), *backend, question, cancel);
                          });
}

// Begun when the map is there, from the same steps.
Derived::Answer<Contrast> find_contrast(const Context& context, const AttentionChoice& choice,
                                        std::shared_ptr<const HeadEffects> effects) {
  WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
  const DerivedKey key("what if/contrast", {untouched_key(context), choice.batch, effects->position, effects->token});
  return ask<Contrast>(context, kept.contrast, key,
                       [trace = context.trace, batch = choice.batch, effects = std::move(effects),
                        cache = kept.cache](const CancelToken& cancel) -> Result<Contrast> {
                         RunOptions options;
                         options.cache = cache.get();
                         HL_ASSIGN(const auto plain, run_anywhere(untouched(single(trace->document(), batch)), cancel, options));
                         Contrast out;
                         HL_ASSIGN(out.example, counter_example(*plain, *effects));
                         return out;
                       });
}

// --- what it does

std::string loss_words(const PredictionChange& change, bool changed) {
  char before[32], now[32];
  std::snprintf(before, sizeof before, "%.3f", one_nan(*change.loss_before));
  std::snprintf(now, sizeof now, "%.3f", one_nan(*change.loss_now));
  return changed ? fill(tr("loss of the text: {} → {} nats"), {before, now}) : fill(tr("loss of the text: {} nats"), {before});
}

void draw_change(Context& context, const ui::Look& look, const PredictionChange& change, std::size_t rows, float width) {
  WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
  const bool changed = !context.trace->document().interventions.empty();
  ui::words(
      look,
      fill(fills_in(context.trace->stored_model().get()) ? tr("what stands at “{}”") : tr("what follows “{}”"), {change.behind}),
      look.theme.text, ui::kBody);
  std::int64_t lit = -1;
  for (std::size_t i = 0; i < change.words.size(); ++i)
    if (change.words[i].token == kept.token) lit = static_cast<std::int64_t>(i);
  if (lit < 0) lit = 0;
  const gl::Hit hit =
      context.figures.draw(change_list(change, changed, lit, rows, width, context.theme, context.measure), "change list");
  name_part(context, "what if:words");
  if (hit.tag.kind == figures::Tag::row && hit.hovered) {
    ui::tooltip(look, tr("Click: the map below follows this word"));
    if (hit.clicked) kept.token = change.words[static_cast<std::size_t>(hit.tag.a)].token;
  }
  figure_menu(context, "change menu", hit, [&context, change, changed, lit] {
    figures::Figure figure = change_list(change, changed, lit, kWords, 420, context.theme, context.measure);
    figure.background = context.theme.background;
    return figure;
  });
  if (change.loss_before && change.loss_now) ui::words(look, loss_words(change, changed), look.theme.secondary);
}

// What it would write, of a model that translates. A pattern of another sentence fits one text alone: then nothing is said.
void draw_translations(Context& context, const ui::Look& look, const AttentionChoice& choice) {
  WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
  if (context.trace->targets().empty()) return;
  const auto found = find_translations(context, choice);
  if (found) kept.translations = found.value;
  if (found.error || !kept.translations || kept.translations->now.empty()) return;
  const bool same = kept.translations->now == kept.translations->before;
  ui::words(look, fill(tr("it would write: {}"), {kept.translations->now}), same ? look.theme.secondary : look.theme.text);
  if (!same) ui::words(look, fill(tr("and without interventions: {}"), {kept.translations->before}), look.theme.secondary);
}

// The cell under the mouse in words.
std::string head_words(const HeadEffects& effects, const HeadEffects::Head& head) {
  char score[32];
  std::snprintf(score, sizeof score, "%+.2f", head.without.logit - effects.with.logit);
  return fill(tr("without layer {}, head {}: “{}” {} % → {} %, its score {}"),
              {std::to_string(head.layer), std::to_string(head.head), effects.label, percent_text(effects.with.probability),
               percent_text(head.without.probability), score});
}

// The map of the shown kind of attention, and what each of its cells is; without cells where the effects are of other heads.
struct ShownMap {
  HeadMap map;
  std::vector<const HeadEffects::Head*> heads;
};
ShownMap map_of(const AttentionChoice& choice, const HeadEffects& effects) {
  ShownMap shown;
  shown.map.layers = static_cast<std::int64_t>(choice.layers.size());
  shown.map.heads = choice.site->heads;
  shown.map.first_layer = choice.layers.front()->layer;
  for (const AttentionSite* site : choice.layers)
    for (const HeadEffects::Head& head : effects.heads)
      if (head.prefix == site->prefix) {
        shown.heads.push_back(&head);
        shown.map.points.push_back(100 * (head.without.probability - effects.with.probability));
      }
  shown.map.layer = std::find(choice.layers.begin(), choice.layers.end(), choice.site) - choice.layers.begin();
  shown.map.head = choice.head;
  if (static_cast<std::int64_t>(shown.heads.size()) != shown.map.layers * shown.map.heads) shown.heads.clear();
  return shown;
}

void draw_map(Context& context, const ui::Look& look, const AttentionChoice& choice, const HeadEffects& effects, bool low,
              float width) {
  ShownMap shown = map_of(choice, effects);
  const auto& heads = shown.heads;
  if (heads.empty()) return;
  HeadMap& map = shown.map;
  map.low = low;
  map.hot_layer = context.hover.now.layer;
  map.hot_head = context.hover.now.head;
  const gl::Hit hit = context.figures.draw(head_map(map, width, context.theme, context.measure), "head map");
  name_part(context, "what if:map");
  if (hit.tag.kind == figures::Tag::thumbnail && hit.hovered) {
    context.hover.next.layer = hit.tag.a;
    context.hover.next.head = hit.tag.b;
    ui::tooltip(look, head_words(effects, *heads[static_cast<std::size_t>(hit.tag.a * map.heads + hit.tag.b)]));
    if (hit.clicked) {
      context.view.layer = hit.tag.a;
      context.view.head = hit.tag.b;
    }
  }
  figure_menu(context, "head map menu", hit, [&context, map = shown.map] {
    figures::Figure figure = head_map(map, 420, context.theme, context.measure);
    figure.background = context.theme.background;
    return figure;
  });
}

void draw_effects(Context& context, const ui::Look& look, const AttentionChoice& choice, bool low, float width) {
  WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
  if (is_long(context, choice)) {
    if (ui::button(look, ui::labelled(tr("make the map"), "make the map").c_str(), 0, 28))
      kept.map_wanted = untouched_key(context);
    ui::tooltip(look, tr("Every head taken out of a long text takes some seconds in the background"));
    return;
  }
  const auto effects = find_effects(context, choice, kept.token);
  if (effects) kept.effects = effects.value;
  if (kept.effects) {
    ui::words(
        look,
        fill(by_mean(context, choice) ? tr("“{}” with each head's mean, in points") : tr("“{}” without each head, in points"),
             {kept.effects->label}),
        look.theme.secondary);
    draw_map(context, look, choice, *kept.effects, low, width);
  } else if (effects.error) {
    ui::words(look, spoken_in_window(*effects.error), look.theme.wrong);
  } else {
    ui::words(look, tr("computing …"), look.theme.secondary);
  }
}

std::string place_of_head(const CounterExample::Head& head) {
  const bool cross = head.prefix.ends_with("cross.");
  return fill(cross ? tr("cross, layer {}, head {}") : tr("layer {}, head {}"),
              {std::to_string(head.layer), std::to_string(head.head)});
}

std::string two_decimals(double value, bool with_sign) {
  if (std::isnan(value)) return "nan";  // not "+nan"
  char text[32];
  std::snprintf(text, sizeof text, with_sign ? "%+.2f" : "%.2f", value);
  return text;
}

// The counter-example that this sentence has, if it has one. The map of the means says nothing of heads that are gone.
void draw_contrast(Context& context, const ui::Look& look, const AttentionChoice& choice) {
  WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
  if (!kept.effects || by_mean(context, choice) || is_long(context, choice)) return;
  const auto found = find_contrast(context, choice, kept.effects);
  if (!found || !found.value->example) return;
  const auto& [striking, plain] = *found.value->example;
  ui::words(
      look,
      fill(tr("Here {} gives {} to “{}”, and without it the score of “{}” changes by {}; but {} gives no token more than {}, and "
              "without it the score changes by {}."),
           {place_of_head(striking), two_decimals(striking.weight, false), striking.key, kept.effects->label,
            two_decimals(striking.change, true), place_of_head(plain), two_decimals(plain.weight, false),
            two_decimals(plain.change, true)}),
      look.theme.text);
  name_part(context, "what if:contrast");
}

}  // namespace

std::shared_ptr<const PredictionChange> shown_change(const Context& context) {
  if (!context.trace || !context.transient || !predicts(*context.trace)) return nullptr;
  return find_change(context, choose_attention(context)).value;
}

std::shared_ptr<const HeadEffects> shown_effects(const Context& context, std::int32_t token) {
  if (!context.trace || !context.transient || !predicts(*context.trace)) return nullptr;
  return find_effects(context, choose_attention(context), token).value;
}

figures::Figure what_if_words_figure(const Context& context, float width, float) {
  const auto change = shown_change(context);
  if (!change) return {};
  const bool changed = !context.trace->document().interventions.empty();
  const std::string title =
      fill(fills_in(context.trace->stored_model().get()) ? tr("what stands at “{}”") : tr("what follows “{}”"), {change->behind});
  figures::Figure list = change_list(*change, changed, -1, kWords, std::min(width, kFile) - 32, context.theme, context.measure);
  list = figures::framed(std::move(list), title, 16, context.theme);
  list.title = title;
  return list;
}

figures::Figure what_if_map_figure(const Context& context, float width, float) {
  const auto effects = shown_effects(context, -1);
  if (!effects) return {};
  const ShownMap shown = map_of(choose_attention(context), *effects);
  if (shown.heads.empty()) return {};
  const std::string title =
      fill(tr("“{}” without each head, in points"), {effects->label}) + "; " +
      fill(tr("layers × heads, {} × {}"), {std::to_string(shown.map.layers), std::to_string(shown.map.heads)});
  figures::Figure map = head_map(shown.map, std::min(width, kFile) - 32, context.theme, context.measure);
  map = figures::framed(std::move(map), title, 16, context.theme);
  map.title = title;
  return map;
}

void draw_what_if(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  if (!context.trace || !context.transient) return ui::words(look, tr("computing …"), look.theme.secondary);
  const AttentionChoice choice = choose_attention(context);
  if (says_no_attention(context, look, choice)) return;
  const auto head = address_from_text(choice.prefix() + "head." + std::to_string(choice.head));
  if (!head) return;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("what if", {0, 0}, ImGuiChildFlags_NavFlattened, ImGuiWindowFlags_NoBackground)) {
    const float width = std::max(160.0f, ImGui::GetWindowWidth() / look.scale - 14);
    const bool low = ImGui::GetWindowHeight() / look.scale < kLow;
    if (low)
      ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, ImVec2(ImGui::GetStyle().ItemSpacing.x, look.px(3)));
    else
      ui::words(look, attention_title(choice), look.theme.text, ui::kHeading);  // in a low window the picture's own has to do
    draw_switches(context, look, choice, *head, low);
    if (!predicts(*context.trace)) {
      ui::words(look,
                tr("The weights are random, so nothing is predicted: choose a trained model to see what becomes of its next "
                   "word."),
                look.theme.secondary);
    } else {
      WhatIfTransient& kept = context.transient->of<WhatIfTransient>();
      if (kept.model != context.trace->document().model) {  // words and heads of another model mean nothing here
        kept.model = context.trace->document().model;
        kept.token = -1;
        kept.change.reset();
        kept.effects.reset();
        kept.translations.reset();
      }
      const auto change = find_change(context, choice);
      if (change) kept.change = change.value;
      if (change.error) ui::words(look, spoken_in_window(*change.error), look.theme.wrong);
      if (kept.change) draw_change(context, look, *kept.change, low ? kFewWords : kWords, width);
      draw_translations(context, look, choice);
      if (!low) ui::words(look, tr("One head out at a time"), look.theme.text, ui::kBody);
      draw_effects(context, look, choice, low, width);
    }
    ui::words(look,
              tr("Attention is not explanation: a head with a striking pattern may hardly matter, and others may do its work "
                 "when it is gone."),
              look.theme.secondary);
    if (predicts(*context.trace)) draw_contrast(context, look, choice);
    if (low) ImGui::PopStyleVar();
  }
  ImGui::EndChild();
  name_part(context, "what if");
  ImGui::PopStyleVar();
}

}  // namespace headlight::views
