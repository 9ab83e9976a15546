// The Next word view: what a trained model says comes next, where that comes from, and how it goes on.
#include <algorithm>
#include <cmath>

#include "app/figures/base/stack.h"
#include "app/panels/next_word/next_word_tab.h"
#include "app/panels/panels.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/growing_column.h"
#include "engine/document/stored_model.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::views {
namespace {

using figures::Font;

constexpr float kGap = 24, kLeastThree = 1000, kLeastTwo = 640;
constexpr const char* kOffered = "stories";  // the model that the view offers where the present one predicts nothing

// Why there is nothing to predict, and the button that mends it.
void draw_nothing(Context& context, const ui::Look& look) {
  if (!context.trace || context.trace->texts().empty()) {
    ui::words(look,
              context.error       ? ""
              : context.computing ? tr("computing …")
                                  : tr("Nothing is computed yet."),
              look.theme.secondary, 15);
    return;
  }
  if (context.document.model != "sandbox" && context.trace->document().model != "sandbox" &&
      std::any_of(context.trace->steps().begin(), context.trace->steps().end(),
                  [](const Step& step) { return step.role == Role::logits; })) {
    ui::words(look,
              tr("Without a causal mask every token sees those behind it, so there is no next word to predict. The model stories "
                 "predicts the next word."),
              look.theme.secondary, 15);
  } else {
    ui::words(look, tr("This model was not trained to predict the next word. The model stories was."), look.theme.secondary, 15);
  }
  ImGui::Dummy({0, look.px(4)});
  const auto model = open_stored_model(kOffered);
  if (ui::button(look, ui::labelled(tr("Take the model stories"), "stories").c_str(), 0, 34, true, model.ok())) {
    Document document = context.document;
    use_model(document, **model);
    document.targets.clear();
    context.edit(std::move(document));
  }
  ui::tooltip(look, model.ok()
                        ? tr("The sentence stays; the model, its tokenizer and its sizes change. Ctrl+Z brings the present "
                             "model back.")
                        : tr("The bundled models are not installed"));
  name_part(context, "next:model");
}

// That the list is not the model's own, and the way back.
void draw_source(const NextWordTab& tab) {
  const auto lens = lens_of(tab.context, tab.place);
  const std::int64_t layer = lens ? shown_layer(tab.context, *lens) : -1;
  if (layer < 0) return;
  if (ui::button(tab.look, ui::labelled(tr("all layers"), "all layers").c_str(), 0, 28)) tab.context.view.next_word.layer = -1;
  ui::tooltip(tab.look, tr("The list of the whole model again"));
  name_part(tab.context, "next:all layers");
  ImGui::SameLine(0, tab.look.px(10));
  ui::words(tab.look,
            fill(tr("what it would say after {} of {} layers"), {std::to_string(layer), std::to_string(lens->rows() - 1)}),
            tab.look.theme.selected, 14);
}

void draw_list_column(const NextWordTab& tab, float width, float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  draw_heading(tab.look, next_word_title(tab.place), "", width);
  draw_source(tab);
  if (tab.place.fills)
    draw_masked_place(tab);
  else
    draw_sampling(tab, width);
  const float used = (ImGui::GetCursorScreenPos().y - top) / tab.look.scale;
  draw_candidates(tab, width, static_cast<std::size_t>(std::clamp((height - used - 122) / 28, 7.0f, 12.0f)));
  draw_taking(tab, width);
}

// What was generated stands first once there is any.
void draw_middle_column(const NextWordTab& tab, float width) {
  const bool any = tab.own.generated.wanted > 0 || !tab.own.generated.words.empty();
  if (any) draw_generated(tab, width);
  if (any) ImGui::Dummy({0, tab.look.px(8)});
  draw_comparison(tab, width);
  if (any) return;
  ImGui::Dummy({0, tab.look.px(8)});
  draw_generated(tab, width);
}

void draw_right_column(const NextWordTab& tab, float width, float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  draw_lens(tab, width);
  ImGui::Dummy({0, tab.look.px(8)});
  const float left = height - (ImGui::GetCursorScreenPos().y - top) / tab.look.scale;
  draw_looks(tab, width, static_cast<std::size_t>(std::clamp((left - 90) / 34, 5.0f, 8.0f)));
}

// The sentence with the candidates beside it, and the lens where there is room; the cards below.
void draw_presented(const NextWordTab& tab, float width, float height) {
  constexpr float kCards = 160, kAround = 130;  // the heading, and what is not rows of the list
  const bool two = width >= kLeastTwo;
  const float left = two ? std::floor((width - kGap) * (tab.place.fills ? 0.5f : 0.58f)) : width, right = width - kGap - left;
  const bool generated = tab.own.generated.wanted > 0 || !tab.own.generated.words.empty();
  const float above = tab.place.fills || (height < 2 * kCards && !generated) ? height : std::max(kCards, height - kCards);
  growing_column("list", tab.look, left, [&] {
    draw_heading(tab.look, next_word_title(tab.place), "", left);
    draw_candidates(tab, left, static_cast<std::size_t>(std::clamp((above - kAround) / 30, 4.0f, 12.0f)));
  });
  if (two) {
    ImGui::SameLine(0, tab.look.px(kGap));
    // All layers are seen at once: the last one is what the model says.
    const auto rows = static_cast<float>(tab.place.trace->document().layers + 1);
    growing_column("lens", tab.look, right, [&] { draw_lens(tab, right, std::clamp((above - 96) / rows, 18.0f, 30.0f)); });
  }
  if (tab.place.fills) return;
  // What was generated takes the place of the cards.
  if (generated)
    draw_generated(tab, width);
  else
    draw_surprise(tab, width);
}

// A model that fills in predicts nothing that follows: its list, the lens, and where the token looks.
void draw_filling(const NextWordTab& tab, float width, float height) {
  const bool two = width >= kLeastTwo;
  const float left = two ? std::floor((width - kGap) * 0.42f) : width, right = two ? width - left - kGap : width;
  growing_column("list", tab.look, left, [&] { draw_list_column(tab, left, height); });
  if (two) ImGui::SameLine(0, tab.look.px(kGap));
  growing_column("right", tab.look, right, [&] { draw_right_column(tab, right, height); });
}

void draw_arranged(const NextWordTab& tab, float width, float height) {
  const ui::Look& look = tab.look;
  if (width >= kLeastThree) {
    const float right = std::floor((width - kGap) * 0.40f), wide = width - right - kGap;
    growing_column("left", look, wide, [&] {
      const float top = ImGui::GetCursorScreenPos().y;
      draw_surprise(tab, wide);
      const float list = std::floor((wide - kGap) * 0.54f), middle = wide - list - kGap;
      const float left = height - (ImGui::GetCursorScreenPos().y - top) / look.scale;
      growing_column("list", look, list, [&] { draw_list_column(tab, list, left); });
      ImGui::SameLine(0, look.px(kGap));
      growing_column("middle", look, middle, [&] { draw_middle_column(tab, middle); });
    });
    ImGui::SameLine(0, look.px(kGap));
    growing_column("right", look, right, [&] { draw_right_column(tab, right, height); });
    return;
  }
  draw_surprise(tab, width);
  const bool two = width >= kLeastTwo;
  const float left = two ? std::floor((width - kGap) * 0.5f) : width;
  growing_column("list", look, left, [&] { draw_list_column(tab, left, height - 150); });
  if (two) ImGui::SameLine(0, look.px(kGap));
  growing_column("right", look, left, [&] { draw_right_column(tab, left, height - 150); });
  bool drawn = false;
  growing_column("middle", look, width, [&] {
    drawn = true;
    draw_middle_column(tab, std::min(width, 560.0f));
  });
  // Words are being made in a column that lies below the edge, where it draws nothing: it is scrolled to.
  if (const GeneratedWords& generated = tab.own.generated; !drawn && generated.words.size() != generated.seen)
    ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const auto place = next_word_place(context);
  if (!place) {
    draw_nothing(context, look);
    return;
  }
  Transient none;  // tests and exports have no transient state
  auto& own = (context.transient ? *context.transient : none).of<NextWordTransient>();
  const auto ranked = shown_ranked_of(context, *place);
  const NextWordTab tab{context, look, *place, own, ranked, ranked ? tracked_token(context, *place, *ranked) : 0};
  own.pointed = -1;  // set again by what is under the mouse
  own.ghost.clear();
  go_on_generating(context, *place, own.generated);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  const float width = std::floor(room.x / context.scale - 14), height = room.y / context.scale;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (context.view.presentation)
    draw_presented(tab, width, height);
  else if (tab.place.fills)
    draw_filling(tab, width, height);
  else
    draw_arranged(tab, width, height);
  ImGui::PopStyleVar();
}

figures::Figure figure_of_next_word(const Context& context, float width, float) {
  const auto place = next_word_place(context);
  if (!place) return {};
  const float inner = width - 32;
  std::vector<figures::Figure> parts;
  for (figures::Figure& part : std::vector<figures::Figure>{
           surprise_figure(context, *place), candidates_figure(context, *place, inner), lens_figure(context, *place, inner)})
    if (!part.items.empty()) parts.push_back(std::move(part));
  if (parts.empty()) return {};
  figures::Figure all = figures::stacked(parts, 20, 16);
  all.title = next_word_title(*place);
  return all;
}

using DrawPicture = figures::Figure (*)(const Context&, const NextWordPlace&, float);
figures::Figure picture_of(const Context& context, float width, DrawPicture make) {
  const auto place = next_word_place(context);
  if (!place) return {};
  const figures::Figure figure = make(context, *place, width - 32);
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

}  // namespace

std::string next_word_title(const NextWordPlace& place) {
  return fill(place.fills ? tr("What stands at {}") : tr("The next word after {}"), {place.label()});
}

bool can_take(const NextWordTab& tab, std::int32_t token) {
  return !tab.context.computing && !tab.place.tokenizer().vocabulary().is_special(token);
}

void take_token(const NextWordTab& tab, std::int32_t token) {
  if (!can_take(tab, token)) return;
  NextWordView& view = tab.context.view.next_word;
  view.position = -1;
  view.tracked.clear();
  if (!tab.place.fills) {
    tab.context.edit(continued_document(tab.context, tab.place, {token}));
    return;
  }
  // The next mask is asked for, or the same place where there is no other.
  const auto& tokens = tab.place.sentence().tokens;
  const std::int32_t mask = tab.place.tokenizer().special(tokenizers::Role::mask);
  const auto masks = std::count_if(tokens.begin(), tokens.end(), [mask](const auto& one) { return one.id == mask; });
  if (masks <= (tab.place.masked() ? 1 : 0)) view.position = tab.place.position;
  tab.context.edit(filled_document(tab.context, tab.place, token));
}

void choose_candidate(const NextWordTab& tab, std::int32_t token) {
  NextWordView& view = tab.context.view.next_word;
  const std::string& piece = tab.place.tokenizer().piece(token);
  if (view.tracked == piece)
    take_token(tab, token);
  else
    view.tracked = piece;
}

Entry next_word_panel() {
  Entry entry = {"next",
                 "Next word",
                 "p(w_n+1 | w_1 .. w_n) = softmax(logits / T)",
                 "Bengio et al. 2003; logit lens: nostalgebraist 2020; Elhage et al. 2021",
                 draw,
                 figure_of_next_word};
  entry.full_width = true;
  entry.controls = next_word_controls;
  entry.pictures = {
      {"what-follows", "what really follows at every position, and how surprised the model is",
       [](const Context& context, float, float) {
         return picture_of(context, 0, [](const Context& c, const NextWordPlace& at, float) { return surprise_figure(c, at); });
       }},
      {"next-words", "the candidates for the next token of one position",
       [](const Context& context, float width, float) {
         return picture_of(context, std::min(width, 760.0f), candidates_figure);
       }},
      {"thinking", "the sentence, and the candidates beside it, for slides",
       [](const Context& context, float width, float) { return picture_of(context, width, thinking_figure); }},
      {"lens", "the logit lens: the top token after every layer",
       [](const Context& context, float width, float) { return picture_of(context, width, lens_figure); }},
      {"odds", "two continuations: how they part from layer to layer",
       [](const Context& context, float width, float) { return picture_of(context, std::min(width, 760.0f), odds_figure); }},
      {"generated", "generated words with their chances, and where each looks",
       [](const Context& context, float width, float) { return picture_of(context, width, generated_figure); }},
      {"looks", "where one token looks, and each head's push to a candidate",
       [](const Context& context, float width, float) { return picture_of(context, width, looks_figure); }}};
  return entry;
}

}  // namespace headlight::views
