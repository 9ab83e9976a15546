// The Scores view: one token asks all, and six scores answer side by side; below them why the scores are divided by a root, and
// what the relation of Q, K and V means. Each of the two has a page of its own, too.
#include <algorithm>
#include <cmath>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/panels.h"
#include "app/panels/scores/bahdanau_page.h"
#include "app/panels/scores/scores_data.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kLeastBelow = 140, kMostBelow = 340, kLeastCards = 250, kLeastSheet = 360, kBetweenHalves = 28, kLeastHalf = 430;
constexpr const char* kScorePages[] = {"six", "scale", "relation", "bahdanau"};

int page_of(const ViewState& view) {
  for (int i = 0; i < 4; ++i)
    if (view.scores.page == kScorePages[i]) return i;
  return 0;
}

// The token asks from now on; what it looks at most is pinned with it, so that the inspector shows the same row.
void let_ask(Context& context, const ScoresState& state, std::int64_t query) {
  if (query < 0 || query >= static_cast<std::int64_t>(state.query_labels.size())) return;
  context.view.pinned_row = query;
  context.view.pinned_column = 0;
  const AttentionChoice& choice = state.choice;
  const auto row = context.trace->tile(context.trace->name_at(choice.prefix(), Role::weights),
                                       {choice.batch, choice.head, query, 1, 0, state.keys});
  for (std::int64_t key = 1; row.ok() && key < state.keys; ++key)
    if (row->at({0, key}) > row->at({0, context.view.pinned_column})) context.view.pinned_column = key;
  context.view.inspector.step.clear();
  context.view.inspector.index.clear();
}

void draw_score_pages(Context& context, const ui::Look& look) {
  const char* const labels[] = {tr("six scores"), tr("why √d"), tr("Q, K, V"), tr("Bahdanau's step")};
  const char* const why[] = {tr("One query, all keys, six ways to score side by side"),
                             tr("How much the weights still move, by what the scores are multiplied with"),
                             tr("One map for all three, two, or three: what each means and costs"),
                             tr("A decoder's step with every number: alignment, context, state, next word")};
  ImGui::BeginGroup();
  const int clicked = ui::segmented(look, "pages", labels, 4, page_of(context.view), why);
  ImGui::EndGroup();
  name_part(context, "scores:pages");
  if (clicked >= 0) context.view.scores.page = kScorePages[clicked];
}

// Bahdanau's step has its own network: of the model's layers and heads it reads nothing but the tokens.
void draw_step_controls(Context& context, const ui::Look& look, const AttentionChoice& choice, std::int64_t step) {
  draw_score_pages(context, look);
  const std::int64_t steps = steps_of(context, choice);
  const std::string text = fill(tr("step {} of {}"), {std::to_string(step), std::to_string(steps)});
  next_on_line(look, look.figures.width(text, 14, Font::words) + 2 * 26 + 16);
  const std::int64_t to = stepper(look, "step", text, step, steps, tr("Another word that is written"));
  name_part(context, "scores:step");
  if (to < 0) return;
  context.view.pinned_row = to;
  context.view.pinned_column = 0;
}

void draw_controls(Context& context, const ui::Look& look, const ScoresState& state) {
  draw_score_pages(context, look);
  next_on_line(look, attention_bar_start(look, state.choice));
  draw_attention_bar(context, look, state.choice);
  const std::string text =
      fill(tr("query {}: {}"), {std::to_string(state.query), state.query_labels[static_cast<std::size_t>(state.query)]});
  next_on_line(look, look.figures.width(text, 14, Font::words) + 2 * 26 + 16);
  const auto queries = static_cast<std::int64_t>(state.query_labels.size());
  const std::int64_t to = stepper(look, "query", text, state.query, queries, tr("Another token that asks"));
  name_part(context, "scores:query");
  if (to >= 0) let_ask(context, state, to);
  if (state.choice.site->mask.mask.empty()) return;
  next_on_line(look, look.figures.width(tr("mask"), 15, Font::words) + 60);
  ui::toggle(look, tr("mask"), &context.view.scores.masked);
  ui::tooltip(look, tr("Off: the query asks every token. On: only those that the model's mask lets it see."));
  name_part(context, "scores:mask");
}

void follow_number(Context& context, const ui::Look& look, const ScoresState& state, const figures::ScoreCardsInput& input,
                   const gl::Hit& hit) {
  const std::int64_t key = hit.tag.a;
  const auto card = static_cast<std::size_t>(hit.tag.b / 2);
  if (card >= input.rows.size() || key < 0 || key >= state.keys) return;
  context.hover.next.row = state.query;
  context.hover.next.column = key;
  const ScoreRow& row = input.rows[card];
  const bool weight = hit.tag.b % 2 == 1;
  const std::string head = fill(tr("{} asks {}, {}"), {input.asker, input.labels[static_cast<std::size_t>(key)],
                                                       tr(compared_scores().find(row.id)->label.c_str())});
  const bool seen = state.asked->question.sees(static_cast<std::size_t>(key));
  ui::tooltip(look, head,
              !seen    ? std::string(tr("masked: it is not asked, and its weight is 0"))
              : weight ? told_weight(state, row, key)
                       : told_score(state, row, key));
  if (!hit.clicked) return;
  context.view.pinned_row = state.query;
  context.view.pinned_column = key;
}

void follow_cards(Context& context, const ui::Look& look, const ScoresState& state, const figures::ScoreCardsInput& input,
                  const gl::Hit& hit) {
  if (!hit.hovered) return;
  const auto at = static_cast<std::size_t>(std::max<std::int64_t>(0, hit.tag.a));
  if (hit.tag.kind == figures::Tag::cell) follow_number(context, look, state, input, hit);
  if (hit.tag.kind == figures::Tag::row && hit.tag.a < state.keys) {
    context.hover.next.row = state.query;
    context.hover.next.column = hit.tag.a;
    if (state.one_text) {
      ui::tooltip(look, fill(tr("A click lets {} ask"), {input.labels[at]}));
      if (hit.clicked) let_ask(context, state, hit.tag.a);
    }
  }
  if (hit.tag.kind == figures::Tag::link && at < input.rows.size()) {
    const ComparedScore& kind = *compared_scores().find(input.rows[at].id);
    const std::string own =
        input.rows[at].drawn ? " " + fill(tr("Its weights are random, seed {}."), {std::to_string(input.seed)}) : std::string();
    ui::tooltip(look,
                fill(tr("{}: {}. The bars reach {} at most."),
                     {tr(kind.label.c_str()), tr(kind.meaning.c_str()), figures::score_number(input.rows[at].largest)}) +
                    own,
                kind.formula + "   " + kind.source);
  }
  if (hit.tag.kind == figures::Tag::bar && at < input.rows.size())
    ui::tooltip(look, tr("How spread out the row is: 0 when one key gets all, ln n when all n keys get the same"),
                "H = - Σ w ln w = " + short_number(input.rows[at].entropy));
}

void draw_cards(Context& context, const ui::Look& look, const ScoresState& state, const figures::ScoreCardsInput& input,
                float width) {
  figures::Figure figure = figures::score_cards(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "cards");
  name_part(context, "scores:cards");
  follow_cards(context, look, state, input, hit);
  figure_menu(context, "cards menu", hit, [&] {
    figures::ScoreCardsInput quiet = cards_input(context, state, 1060, 900);
    quiet.hot = -1;
    return figures::stacked({figures::score_cards(quiet, 1060, context.theme, context.measure)}, 0, 16);
  });
}

// The marker: a click or a drag puts it somewhere, and beside 1/√d and 1 it snaps to them.
void draw_plot(Context& context, const ui::Look& look, const ScoresState& state, float width, float height) {
  const figures::ScalePlotInput input = scale_input(state);
  figures::Figure figure = figures::scale_plot(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "scale", true);
  name_part(context, "scores:scale");
  double& factor = context.view.scores.factor;
  const auto put = [&](double to) {
    const bool at_model = figures::factors_apart(figure, input, to, state.asked->model_factor) < 5;
    factor = at_model ? 0 : figures::factors_apart(figure, input, to, 1) < 5 ? 1 : to;
  };
  const bool in_plot = hit.hovered && hit.tag.kind == figures::Tag::column;
  bool& held = context.transient->of<ScoresHeld>().marker;
  if (in_plot && hit.clicked) held = true;
  if (held && !ImGui::IsMouseDown(ImGuiMouseButton_Left)) held = false;
  if (held && hit.hovered) put(figures::factor_at(figure, input, hit.at, true));
  if (hit.hovered && hit.double_clicked) {
    factor = 0;
    held = false;
  }
  if (in_plot) {
    const double at = figures::factor_at(figure, input, hit.at, false);
    ui::tooltip(look,
                fill(tr("at factor {} the norm is {}: drag the marker, double click for the model's own"),
                     {short_number(at), short_number(jacobian_norms(state.asked->dots, state.asked->question.visible,
                                                                    state.asked->question.temperature, {at})
                                                         .front())}),
                "‖diag(p) - p pᵀ‖,  p = softmax(factor · s·h)");
  }
  if (hit.focused) {
    if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) put(std::min(10.0, state.factor * 1.1));
    if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) put(std::max(0.01, state.factor / 1.1));
    if (ImGui::IsKeyPressed(ImGuiKey_Home)) factor = 0;
  }
  figure_menu(context, "scale menu", hit,
              [&] { return figures::stacked({figures::scale_plot(input, 640, 320, context.theme, context.measure)}, 0, 16); });
}

void draw_relations(Context& context, const ui::Look& look, const ScoresState& state, float width, float height) {
  const figures::RelationsInput input = relations_input(context, state);
  if (input.maps.empty()) return;
  figures::Figure figure = figures::relation_rows(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "relations", true);
  name_part(context, "scores:relations");
  const auto choose = [&](std::size_t which) {
    if (which < input.maps.size() && input.maps[which].possible)
      context.view.scores.relation = name_of(input.maps[which].relation);
  };
  std::size_t now = 0;
  for (std::size_t i = 0; i < input.maps.size(); ++i)
    if (input.maps[i].relation == input.chosen) now = i;
  if (hit.hovered && hit.tag.kind == figures::Tag::link) {
    const auto which = static_cast<std::size_t>(hit.tag.a);
    if (hit.clicked) choose(which);
    if (which < input.maps.size())
      ui::tooltip(look, input.meanings[which],
                  input.maps[which].possible && input.maps[which].asymmetry > 0
                      ? fill(tr("scores differ both ways by up to {}"), {short_number(input.maps[which].asymmetry)})
                      : std::string());
  }
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0) {
    const RelatedMap& map = input.maps[now];
    const bool square = map.scores.dim(0) == map.scores.dim(1);
    const std::int64_t query = map.from + hit.row, key = (square ? map.from : 0) + hit.column;
    if (query < static_cast<std::int64_t>(state.query_labels.size()) && key < state.keys) {
      context.hover.next.row = query;
      context.hover.next.column = key;
      const std::string &a = state.query_labels[static_cast<std::size_t>(query)],
                        &b = state.key_labels[static_cast<std::size_t>(key)];
      std::string words = fill(tr("{} asks {}: {}"), {a, b, short_number(map.scores.at({hit.row, hit.column}))});
      if (square && hit.row != hit.column)
        words += "\n" + fill(tr("{} asks {}: {}"), {b, a, short_number(map.scores.at({hit.column, hit.row}))});
      ui::tooltip(look, words);
    }
  }
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_DownArrow)) choose(now + 1);
  if (hit.focused && ImGui::IsKeyPressed(ImGuiKey_UpArrow) && now > 0) choose(now - 1);
  figure_menu(context, "relations menu", hit,
              [&] { return figures::stacked({figures::relation_rows(input, 760, 300, context.theme, context.measure)}, 0, 16); });
}

// Two pictures beside each other where there is room, else below each other.
void draw_below(Context& context, const ui::Look& look, const ScoresState& state, float width, float height) {
  const float half = (width - kBetweenHalves) / 2;
  if (half < kLeastHalf) return draw_plot(context, look, state, width, height);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::BeginGroup();
  draw_plot(context, look, state, half, height);
  ImGui::EndGroup();
  ImGui::SetCursorScreenPos({at.x + look.px(half + kBetweenHalves), at.y});
  draw_relations(context, look, state, half, height);
}

void draw_scale_page(Context& context, const ui::Look& look, const ScoresState& state, float width, float height) {
  const float card = std::clamp(0.3f * width, 200.0f, 380.0f), plot = width - card - kBetweenHalves;
  if (plot < kLeastHalf) return draw_plot(context, look, state, width, height);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::BeginGroup();
  draw_plot(context, look, state, plot, height);
  ImGui::EndGroup();
  ImGui::SetCursorScreenPos({at.x + look.px(plot + kBetweenHalves), at.y});
  draw_cards(context, look, state, scaled_card_input(context, state, card, height), card);
}

void draw_step_page(Context& context, const ui::Look& look, const AttentionChoice& choice, std::int64_t query) {
  const std::int64_t step = std::clamp<std::int64_t>(query, 0, std::max<std::int64_t>(0, steps_of(context, choice) - 1));
  if (!context.view.presentation) {
    draw_step_controls(context, look, choice, step);
    ImGui::Dummy({0, look.px(2)});
  }
  const ImVec2 room = ImGui::GetContentRegionAvail();
  draw_bahdanau(context, look, choice, step, room.x / context.scale - 14, std::max(kLeastSheet, room.y / context.scale - 4));
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const AttentionChoice choice = choose_attention(context);
  if (says_no_attention(context, look, choice)) return;
  const ScoresState state = scores_state(context, choice);
  if (state.keys == 0 || state.query_labels.empty()) {
    ui::words(look, tr("There is nothing to attend to yet: type a sentence."), look.theme.secondary, 15);
    return;
  }
  // A click on a chip lets its token ask.
  const std::int64_t chip = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, context.hover.now);
  if (chip >= 0 && chip != state.query && ImGui::IsMouseClicked(ImGuiMouseButton_Left)) let_ask(context, state, chip);
  if (page_of(context.view) == 3) return draw_step_page(context, look, choice, state.query);
  if (!context.view.presentation) {
    draw_controls(context, look, state);
    ImGui::Dummy({0, look.px(2)});
  }
  if (!state.asked) {
    ui::words(look, state.error ? spoken_in_window(*state.error) : tr("computing …"),
              state.error ? look.theme.wrong : look.theme.secondary, 15);
    return;
  }
  const float width = ImGui::GetContentRegionAvail().x / context.scale - 14;  // room for a scrollbar is reserved
  const float height = ImGui::GetContentRegionAvail().y / context.scale - 4;
  const int page = page_of(context.view);
  if (page == 1) return draw_scale_page(context, look, state, width, std::max(kLeastBelow, height));
  if (page == 2) return draw_relations(context, look, state, width, std::max(kLeastBelow, std::min(height, 620.0f)));
  const float below = std::max(kLeastBelow, 0.3f * height);
  const bool both = !context.view.presentation && height - below - 16 >= kLeastCards;
  const float top = ImGui::GetCursorScreenPos().y;
  draw_cards(context, look, state, cards_input(context, state, width, both ? height - below - 16 : height), width);
  if (!both) return;
  ImGui::Dummy({0, look.px(4)});
  const float left = height - (ImGui::GetCursorScreenPos().y - top) / context.scale - 4;
  draw_below(context, look, state, width, std::clamp(left, kLeastBelow, kMostBelow));
}

enum class Shown { six, scale, relation, bahdanau };
figures::Figure picture(const Context& context, Shown shown, float width) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0) return {};
  const ScoresState state = scores_state(context, choice);
  if (!state.asked) return {};
  const float inner = std::max(width, 900.0f) - 32;
  figures::Figure figure;
  if (shown == Shown::six) {
    figures::ScoreCardsInput input = cards_input(context, state, inner, 900);
    input.hot = -1;
    figure = figures::score_cards(input, inner, context.theme, context.measure);
  } else if (shown == Shown::bahdanau) {
    const figures::SheetInput input = sheet_input(context, choice, state.query);
    if (input.source.empty()) return {};
    figure = figures::bahdanau_sheet(input, inner, 640, context.theme, context.measure);
  } else if (shown == Shown::scale) {
    figure = figures::scale_plot(scale_input(state), inner, 420, context.theme, context.measure);
  } else {
    const figures::RelationsInput input = relations_input(context, state);
    if (input.maps.empty()) return {};
    figure = figures::relation_rows(input, inner, 400, context.theme, context.measure);
  }
  figures::Figure framed = figures::stacked({figure}, 0, 16);
  framed.title = figure.title;
  return framed;
}

figures::Figure figure_of_page(const Context& context, float width, float) {
  return picture(context, static_cast<Shown>(page_of(context.view)), width);
}

}  // namespace

Entry scores_panel() {
  Entry entry = {"scores", "Scores", "softmax(score(s, h))", "Bahdanau et al. 2015; Luong et al. 2015", draw, figure_of_page};
  entry.full_width = true;
  entry.pictures = {{"scores-compared", "six scores of one query over all keys, their weights and entropies",
                     [](const Context& context, float width, float) { return picture(context, Shown::six, width); }},
                    {"scores-scale", "how much one row's weights still move, by the scale of its scores",
                     [](const Context& context, float width, float) { return picture(context, Shown::scale, width); }},
                    {"scores-relations", "Q = K = V, K = V, or all different: one head's scores and their cost",
                     [](const Context& context, float width, float) { return picture(context, Shown::relation, width); }},
                    {"bahdanau-step", "one step of Bahdanau's decoder with every number",
                     [](const Context& context, float width, float) { return picture(context, Shown::bahdanau, width); }}};
  return entry;
}

}  // namespace headlight::panels
