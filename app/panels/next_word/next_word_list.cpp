// What really follows at every position, the candidates of one, and what is drawn of them.
#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/stack.h"
#include "app/figures/next_word/thinking.h"
#include "app/panels/next_word/next_word_tab.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/figure_menu.h"
#include "engine/core/one_nan.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::views {
namespace {

using figures::Font;

std::string two_decimals(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2f", one_nan(value));
  return text;
}

figures::SurpriseInput surprise_input(const NextWordPlace& place, const Predictions& said) {
  figures::SurpriseInput input;
  const Sentence& sentence = place.sentence();
  const std::size_t count = std::min(said.positions.size(), sentence.labels.size());
  for (std::size_t i = 0; i < count; ++i) {
    const Predictions::Position& here = said.positions[i];
    figures::SurpriseInput::Card card;
    card.token = sentence.labels[i];
    card.hue = static_cast<int>(i % 12);
    if (here.follows >= 0) {
      card.follows = place.word(here.follows);
      card.loss = here.loss;
      card.rank = here.rank;
      card.chance = here.probability;
    } else if (!here.best.empty()) {
      card.best = place.word(here.best.front().token);
      card.chance = here.best.front().probability;
    }
    input.cards.push_back(std::move(card));
  }
  input.current = place.position;
  return input;
}

std::string cut_words(const NextWordView& view, const DrawnShares& drawn) {
  if (!view.sample) return tr("greedy takes the best word");
  // Top-p cuts first where it leaves fewer.
  if (view.top_k > 0 && drawn.allowed == static_cast<std::size_t>(view.top_k))
    return fill(tr("top-k {} cuts here"), {std::to_string(view.top_k)});
  return fill(tr("top-p {} cuts here"), {two_decimals(view.top_p)});
}

figures::CandidatesInput candidates_input(const Context& context, const NextWordPlace& place, const RankedScores& ranked,
                                          std::size_t rows) {
  figures::CandidatesInput input;
  const NextWordView& view = context.view.next_word;
  rows = std::min(rows, ranked.candidates.size());
  const DrawnShares drawn = drawn_of(ranked, place.fills ? SamplingOptions{1, 0, 1} : sampling_of(view), rows);
  for (std::size_t i = 0; i < rows; ++i)
    input.rows.push_back({place.word(ranked.candidates[i].token), ranked.candidates[i].probability, drawn.shares[i]});
  input.only_model = place.fills;
  input.allowed = drawn.allowed;
  if (drawn.allowed < ranked.candidates.size()) input.cut_words = cut_words(view, drawn);
  input.others = fill(tr("{} other words"), {std::to_string(ranked.candidates.size() - rows)});
  input.others_model = std::max(0.0, 1 - drawn.listed_model);
  input.others_drawn = drawn.allowed > rows ? std::max(0.0, 1 - drawn.listed_drawn) : 0;
  return input;
}

// The arrow keys follow another candidate, Enter takes it.
void walk_candidates(const NextWordTab& tab, const figures::CandidatesInput& input) {
  const auto rows = static_cast<std::int64_t>(input.rows.size());
  const std::int64_t step = ImGui::IsKeyPressed(ImGuiKey_DownArrow) ? 1 : ImGui::IsKeyPressed(ImGuiKey_UpArrow) ? -1 : 0;
  if (step != 0 && rows > 0) {
    const std::int64_t to = std::clamp<std::int64_t>(input.tracked + step, 0, rows - 1);
    const std::int32_t token = tab.ranked->candidates[static_cast<std::size_t>(to)].token;
    tab.context.view.next_word.tracked = tab.place.tokenizer().piece(token);
  }
  if (ImGui::IsKeyPressed(ImGuiKey_Enter, false)) take_token(tab, tab.tracked);
}

// The cards, which scroll under a fixed column of words.
void draw_cards(const NextWordTab& tab, figures::SurpriseInput input, float width) {
  const ui::Look& look = tab.look;
  const auto count = static_cast<std::int64_t>(input.cards.size());
  input.labels = false;
  input.pitch = figures::card_pitch(count, width);
  const bool scrolls = input.pitch * static_cast<float>(count) > width + 1;
  const float height = figures::surprise_cards({}, tab.context.theme, tab.context.measure).height + (scrolls ? 14 : 0);
  if (ImGui::BeginChild("cards", {look.px(width), look.px(height)}, ImGuiChildFlags_NavFlattened,
                        ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoBackground)) {
    const float pitch = input.pitch * look.scale, left = pitch * static_cast<float>(tab.place.position);
    // The cards of a sentence that has just grown are there a frame later.
    const bool elsewhere = tab.own.scrolled != tab.place.position || tab.own.scrolled_width != width;
    if (elsewhere && scrolls && count == tab.place.tokens()) {
      const float at = ImGui::GetScrollX(), room = look.px(width);
      if (left < at || left + pitch > at + room + 1) ImGui::SetScrollX(std::max(0.0f, left + pitch - room));
      tab.own.scrolled = tab.place.position;
      tab.own.scrolled_width = width;
    }
    input.first = static_cast<std::int64_t>(ImGui::GetScrollX() / pitch) - 1;
    input.count = static_cast<std::int64_t>(width / input.pitch) + 4;
    figures::Figure figure = figures::surprise_cards(input, tab.context.theme, tab.context.measure);
    figure.background.a = 0;
    const gl::Hit hit = tab.context.figures.draw(figure, "cards");
    name_part(tab.context, "next:cards");
    if (hit.hovered && hit.tag.kind == figures::Tag::token) {
      const auto& token = tab.place.sentence().tokens[static_cast<std::size_t>(hit.tag.a)];
      tab.context.hover.next.byte_start = token.start;
      tab.context.hover.next.byte_end = std::max(token.end, token.start + (token.end == token.start ? 0 : 1));
      tab.context.hover.next.in_target = !tab.place.trace->targets().empty();
      tab.context.hover.next.token = hit.tag.a;
      if (hit.clicked) tab.context.view.next_word.position = hit.tag.a + 1 == tab.place.tokens() ? -1 : hit.tag.a;
    }
    figure_menu(tab.context, "cards menu", hit, [&] { return surprise_figure(tab.context, tab.place); });
  }
  ImGui::EndChild();
}

// The candidate under the mouse stands as a ghost behind the sentence, and Tab takes it.
void offer_ghost(const NextWordTab& tab, std::int32_t token) {
  if (!can_take(tab, token)) return;
  if (!tab.place.fills && tab.place.position + 1 == tab.place.tokens()) {
    const Document next = continued_document(tab.context, tab.place, {token});
    const auto& texts = tab.place.trace->targets().empty() ? next.texts : next.targets;
    tab.own.ghost = texts[static_cast<std::size_t>(tab.place.batch)].substr(tab.place.sentence().text.size());
  }
  ImGui::SetKeyOwner(ImGuiKey_Tab, ImGui::GetID("ghost"));  // it would also go to the next control
  if (ImGui::IsKeyPressed(ImGuiKey_Tab, false)) take_token(tab, token);
}

}  // namespace

void draw_surprise(const NextWordTab& tab, float width) {
  if (const auto made = predictions_of(tab.context, tab.place)) tab.own.predictions = made;
  const auto& said = tab.own.predictions;
  std::string mean;
  if (said && !std::isnan(said->mean_loss)) mean = fill(tr("mean loss {} nat"), {two_decimals(said->mean_loss)});
  draw_heading(tab.look, tr("What really follows"),
               std::string(tr("at every position: how surprised the model was")) + (mean.empty() ? "" : "   " + mean), width);
  if (!said) {
    ui::words(tab.look, tr("computing …"), tab.look.theme.secondary, 14);
    return;
  }
  figures::SurpriseInput input = surprise_input(tab.place, *said);
  if (tab.context.hover.now.byte_start >= 0) input.hot = tab.context.hover.now.token;
  const float labels = figures::surprise_labels_width(tab.context.measure);
  figures::SurpriseInput words;  // the lines' names alone
  figures::Figure names = figures::surprise_cards(words, tab.context.theme, tab.context.measure);
  names.background.a = 0;
  tab.context.figures.draw(names, "card names");
  ImGui::SameLine(0, 0);
  draw_cards(tab, std::move(input), width - labels);
}

void draw_sampling(const NextWordTab& tab, float width) {
  const ui::Look& look = tab.look;
  NextWordView& view = tab.context.view.next_word;
  const std::string label = tr("temperature");
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float wide = look.figures.width(label, 13, Font::words) + 10, line = look.figures.line_height(13, Font::words);
  look.figures.text(*ImGui::GetWindowDrawList(), {at.x, at.y + look.px((24 - line) / 2)}, label, 13, Font::words,
                    look.theme.secondary);
  ImGui::Dummy({look.px(wide - 8), look.px(20)});
  ImGui::SameLine(0, look.px(8));
  double temperature = view.temperature;
  if (number_slider(look, "##temperature", &temperature, 0.05, 5, true, look.px(std::min(240.0f, width - wide - 60)))) {
    view.temperature = std::round(temperature * 100) / 100;
    view.sample = true;
  }
  ui::tooltip(look, tr("Below 1 the best word gets more of the chance, above 1 all get more alike; Ctrl+click types a number"),
              tr("softmax(logits / T)"));
  name_part(tab.context, "next:temperature");
  slider_number(look, two_decimals(view.temperature), 40);
  ImGui::NewLine();

  const char* const labels[] = {tr("greedy"), tr("sample")};
  const char* const why[] = {tr("The best word each time"), tr("A word is drawn by its chance; the seed decides the draws")};
  const int clicked = ui::segmented(look, "how", labels, 2, view.sample ? 1 : 0, why);
  if (clicked >= 0) view.sample = clicked == 1;
  name_part(tab.context, "next:how");
  const auto step = [&](const char* id, const std::string& text, std::int64_t at_now, std::int64_t count, const char* tip) {
    next_on_line(look, look.figures.width(text, 14, Font::words) + 2 * 26 + 18, 12);
    const std::int64_t to = stepper(look, id, text, at_now, count, tip);
    name_part(tab.context, std::string("next:") + id);
    return to;
  };
  if (const auto to = step("seed", fill(tr("seed {}"), {std::to_string(view.seed)}), view.seed, std::int64_t{1} << 40,
                           tr("Another seed draws other words; the same seed draws the same ones"));
      to >= 0)
    view.seed = to;
  if (const auto to =
          step("top-k", view.top_k ? fill(tr("top-k {}"), {std::to_string(view.top_k)}) : std::string(tr("top-k all")),
               view.top_k, 1000, tr("Only the best k words can be drawn; 0: all"));
      to >= 0)
    view.top_k = to;
  if (const auto to =
          step("top-p", fill(tr("top-p {}"), {two_decimals(view.top_p)}), static_cast<std::int64_t>(std::lround(view.top_p * 20)),
               21, tr("Only the fewest best words can be drawn that together have this chance; 1: all"));
      to >= 0)
    view.top_p = static_cast<double>(to) / 20;
}

void draw_candidates(const NextWordTab& tab, float width, std::size_t rows) {
  if (!tab.ranked) {
    ui::words(tab.look, tr("computing …"), tab.look.theme.secondary, 14);
    return;
  }
  figures::CandidatesInput input = candidates_input(tab.context, tab.place, *tab.ranked, rows);
  for (std::size_t i = 0; i < input.rows.size(); ++i)
    if (tab.ranked->candidates[i].token == tab.tracked) input.tracked = static_cast<std::int64_t>(i);
  const bool presented = tab.context.view.presentation;
  if (presented) {  // nothing is drawn there, so that such a column says nothing
    input.row_height = 30;
    input.only_model = true;
    input.cut_words.clear();
    input.others = tr("others");
  }
  figures::Figure figure = presented && !tab.place.fills
                               ? figures::thinking({tab.place.tokenizer().decode(tab.place.ids()), input}, width,
                                                   tab.context.theme, tab.context.measure)
                               : figures::candidate_list(input, width, tab.context.theme, tab.context.measure);
  figure.background.a = 0;
  const gl::Hit hit = tab.context.figures.draw(figure, "candidates", true);
  name_part(tab.context, "next:candidates");
  if (hit.hovered && hit.tag.kind == figures::Tag::row && hit.tag.a >= 0) {
    const std::int32_t token = tab.ranked->candidates[static_cast<std::size_t>(hit.tag.a)].token;
    tab.own.pointed = token;
    if (hit.clicked) choose_candidate(tab, token);
    offer_ghost(tab, token);
    const std::string word = tab.place.word(token);
    ui::tooltip(
        tab.look,
        can_take(tab, token)
            ? fill(tab.place.fills ? tr("A click follows {} through the layers; another, or Tab, puts it there")
                                   : tr("A click follows {} through the layers; another, or Tab, puts it behind the sentence"),
                   {word})
            : fill(tr("{} is a special token and stands for no text"), {word}));
  }
  if (hit.focused) walk_candidates(tab, input);
  figure_menu(tab.context, "candidates menu", hit, [&] { return candidates_figure(tab.context, tab.place, 640); });
}

void draw_taking(const NextWordTab& tab, float width) {
  const ui::Look& look = tab.look;
  NextWordView& view = tab.context.view.next_word;
  GeneratedWords& generated = tab.own.generated;
  const bool running = is_generating(generated);
  const std::string count = fill(tr("{} words"), {std::to_string(view.words)});
  const float counted = look.figures.width(count, 14, Font::words) + 2 * 26 + 18, least = 88;
  const bool one_line = width - counted - 16 >= 2 * least;
  const float each = std::floor(((one_line ? width - counted - 8 : width) - 8) / 2);
  const bool ready = tab.ranked != nullptr && can_take(tab, tab.tracked);
  if (ui::button(look, ui::labelled(tr("take it"), "take").c_str(), look.px(each), 34, true, ready)) take_token(tab, tab.tracked);
  ui::tooltip(look, fill(tab.place.fills ? tr("Puts {} in its place; Ctrl+Z brings back what stood there")
                         : tab.place.position + 1 == tab.place.tokens()
                             ? tr("Puts {} behind the sentence; Ctrl+Z takes it back")
                             : tr("The sentence goes on with {} here; Ctrl+Z brings back what stood behind it"),
                         {tab.place.word(tab.tracked)}));
  name_part(tab.context, "next:take");
  if (tab.place.fills) return;  // a text that is filled in does not go on
  ImGui::SameLine(0, look.px(8));
  if (ui::button(look, ui::labelled(running ? tr("stop") : tr("generate"), "generate").c_str(), look.px(each), 34, false,
                 tab.ranked != nullptr && !tab.context.computing)) {
    turn_generating(tab.context, tab.place, generated);
  }
  ui::tooltip(look, tr("The model goes on word by word, each computed with the keys and values of those before it"));
  name_part(tab.context, "next:generate");
  if (one_line) ImGui::SameLine(0, look.px(8));
  if (const auto to = stepper(look, "words", count, view.words - 1, 200, tr("How many words are generated at once")); to >= 0)
    view.words = to + 1;
  name_part(tab.context, "next:words");
}

bool is_generating(const GeneratedWords& generated) { return generated.wanted > generated.words.size() && !generated.ended; }

void turn_generating(Context& context, const NextWordPlace& place, GeneratedWords& generated) {
  if (is_generating(generated))
    generated.wanted = generated.words.size();
  else
    generated = {place.key(), {}, static_cast<std::size_t>(context.view.next_word.words), false, 0, {}};
}

std::vector<Control> next_word_controls(Context& context) {
  const auto place = next_word_place(context);
  if (!place || place->fills || !context.transient) return {};
  NextWordView& view = context.view.next_word;
  GeneratedWords& generated = context.transient->of<NextWordTransient>().generated;
  const bool running = is_generating(generated);
  return {{.id = "temperature",
           .label = tr("temperature"),
           .why = tr("Below 1 the best word gets more of the chance, above 1 all get more alike; Ctrl+click types a number"),
           .value = two_decimals(view.temperature),
           .widest = two_decimals(5),
           .now = view.temperature,
           .least = 0.05,
           .most = 5,
           .slide =
               [&view](double to) {
                 view.temperature = std::round(to * 100) / 100;
                 view.sample = true;
               }},
          {.id = "how",
           .label = tr("sample"),
           .why = tr("A word is drawn by its chance; the seed decides the draws"),
           .press = [&view] { view.sample = !view.sample; },
           .on = view.sample},
          {.id = "words",
           .label = tr("words"),
           .why = tr("How many words are generated at once"),
           .value = std::to_string(view.words),
           .widest = "200",
           .at = view.words - 1,
           .count = 200,
           .step = [&view](std::int64_t to) { view.words = to + 1; }},
          {.id = "generate",
           .label = running ? tr("stop") : tr("generate"),
           .why = tr("The model goes on word by word, each computed with the keys and values of those before it"),
           .press = [&context, place, &generated] { turn_generating(context, *place, generated); },
           .on = running,
           .enabled = !context.computing,
           .widest = tr("generate")}};
}

void draw_masked_place(const NextWordTab& tab) {
  const ui::Look& look = tab.look;
  const NextWordPlace& place = tab.place;
  const std::string text = fill(tr("token {}: {}"), {std::to_string(place.position), place.label()});
  const std::int64_t to = stepper(look, "position", text, place.position, place.tokens(), tr("Another token of the sentence"));
  name_part(tab.context, "next:position");
  if (to >= 0) tab.context.view.next_word.position = to;
  if (const char* const good = good_for_filling(tab.context.trace->document().model))
    ui::words(look, tr(good), look.theme.secondary, 13);
  if (place.masked()) return;
  if (ui::button(look, ui::labelled(tr("Put [MASK] there"), "mask").c_str(), 0, 30, false, !tab.context.computing)) {
    tab.context.view.next_word.position = place.position;
    tab.context.edit(filled_document(tab.context, place, place.tokenizer().special(tokenizers::Role::mask)));
  }
  ui::tooltip(look, tr("The model then has to say what stands there, from the words on both sides"));
  name_part(tab.context, "next:mask");
  ui::words(look, tr("The model sees this word. Hide it behind [MASK], or type [MASK] into the sentence, and it has to guess."),
            look.theme.secondary, 14);
}

figures::Figure surprise_figure(const Context& context, const NextWordPlace& place) {
  if (place.fills) return {};
  const auto said = predictions_of(context, place);
  if (!said) return {};
  return figures::surprise_cards(surprise_input(place, *said), context.theme, context.measure);
}

figures::Figure candidates_figure(const Context& context, const NextWordPlace& place, float width) {
  const auto ranked = ranked_of(context, place);
  if (!ranked) return {};
  figures::CandidatesInput input = candidates_input(context, place, *ranked, 12);
  input.title = next_word_title(place);
  return figures::candidate_list(input, width, context.theme, context.measure);
}

figures::Figure thinking_figure(const Context& context, const NextWordPlace& place, float width) {
  const auto ranked = place.fills ? nullptr : ranked_of(context, place);
  if (!ranked) return {};
  figures::ThinkingInput input{place.tokenizer().decode(place.ids()), candidates_input(context, place, *ranked, 8)};
  return figures::thinking(input, width, context.theme, context.measure);
}

}  // namespace headlight::views
