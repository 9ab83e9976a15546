// The Values view: one row of attention as a sum of vectors, and what a layer makes of it. Its pages: the sum of one row, with
// the effect of scale and temperature (row_page.cpp); all that a layer adds to a token and one head's weighted values in a grid
// (ledger_page.cpp); a head's value map, that the heads' maps add up, and two ways to combine heads (map_page.cpp); the length of
// every vector after every part.
#include "app/views/base/view.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/base/legend.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/attention_nodes.h"
#include "app/views/values/data.h"
#include "app/views/values/norms_data.h"
#include "app/views/values/pages.h"
#include "imgui.h"

namespace headlight::views {

const View& values_view();

namespace values {
namespace {

using Node = Sheet::Node;
using sheet::kAny;
using sheet::Span;

bool is_ledger(const State& state) { return state.page == "ledger" || state.page == "arrows" || state.page == "grid"; }
// A map is the same for every token.
bool is_map(const State& state) { return state.page == "map" || state.page == "heads" || state.page == "combiners"; }
// Of all layers and tokens.
bool is_norms(const State& state) { return state.page == "norms"; }
bool is_wide(const ViewState& view) {
  const State& state = view.own.of<State>();
  return is_ledger(state) || is_map(state) || is_norms(state);
}

// The token of the ledger: that of the chip under the mouse, which a click keeps, else the pinned one, else the strongest cell's.
// A cell under the mouse does not change it, because the cells are the ledger's own.
std::int64_t ledger_query(const Scene& scene, const AttentionChoice& choice) {
  const Context& context = scene.context;
  const std::int64_t query = chosen_query(context, choice, false);
  if (scene.medium == sheet::Medium::file) return query;
  const std::int64_t chip = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, context.hover.now);
  if (chip == query && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    if (const auto row = row_of(context, choice, query, nullptr)) pin_row(context, *row);
  return query;
}

void step_to(const Context& context, const AttentionChoice& choice, std::int64_t query) {
  context.view.pinned_row = query;
  context.view.pinned_column = -1;
  if (const auto row = row_of(context, choice, query, nullptr)) pin_row(context, *row);
}

void add_ledger_choices(Sheet& sheet, const Shared& frame, std::vector<Node>& all) {
  constexpr std::array<std::int64_t, 6> kCounts{4, 8, 16, 32, 64, 128};
  State& state = frame->state;
  const auto count = static_cast<std::int64_t>(kCounts.size());
  const std::int64_t at = std::lower_bound(kCounts.begin(), kCounts.end(), state.dimensions) - kCounts.begin();
  all.push_back(
      sheet.stepper("dimensions", fill(tr("{} dimensions"), {std::to_string(state.dimensions)}), std::min(at, count - 1), count,
                    tr("How many dimensions the bracket holds, which the grid shows"),
                    [&state, kCounts](std::int64_t to) { state.dimensions = kCounts.at(static_cast<std::size_t>(to)); }));
  all.push_back(sheet.choice("scales", {tr("two scales"), tr("one scale")}, state.one_scale ? 1 : 0,
                             {tr("Heads and biases are small beside the totals, so that they have a scale of their own"),
                              tr("The same colour is the same number in all rows")},
                             [&state](int chosen) { state.one_scale = chosen == 1; }));
}

Node controls(Sheet& sheet, const Shared& frame) {
  std::vector<Node> all = {page_choice(sheet, values_view())};
  for (Node& node : attention_nodes(sheet, frame->choice))
    if (!is_norms(frame->state) || (node.id != "layer" && node.id != "head")) all.push_back(std::move(node));
  if (!is_map(frame->state) && !is_norms(frame->state))
    all.push_back(sheet.stepper(
        "query",
        fill(tr("query {}: {}"), {std::to_string(frame->query), query_name(frame->context(), frame->choice, frame->query)}),
        frame->query, frame->choice.site->queries, tr("Another token that looks: the row of the attention shown here"),
        [frame](std::int64_t to) { step_to(frame->context(), frame->choice, to); }));
  if (is_ledger(frame->state) && frame->state.page != "arrows") add_ledger_choices(sheet, frame, all);
  return Sheet::flow("controls", 16, std::move(all));
}

using Norms = std::shared_ptr<const VectorNorms>;

void follow_length(const Frame& frame, const VectorNorms& norms, const figures::HeatmapInput& input, const gl::Hit& hit) {
  if (!hit.hovered || hit.tag.kind != figures::Tag::cell_area || hit.row < 0 || hit.row >= norms.lengths.dim(0) ||
      hit.column < 0 || hit.column >= norms.lengths.dim(1))
    return;
  const VectorNorms::Part& part = norms.parts[static_cast<std::size_t>(hit.row)];
  frame.context().hover.next.value = {part.step, {frame.choice.batch, hit.column, 0}};
  const double length = norms.lengths.at({hit.row, hit.column});
  std::string words = fill(tr("{}, {}: length {}"),
                           {input.column_labels[static_cast<std::size_t>(hit.column)], part_words(part), short_number(length)});
  if (hit.row > 0)
    words +=
        "; " + fill(tr("{} times as before this part"), {short_number(length / norms.lengths.at({hit.row - 1, hit.column}))});
  say_at_mouse(frame.scene, words + "; " + tr("a click opens its ledger"));
  if (!hit.clicked) return;
  frame.state.page = "ledger";
  frame.scene.view.layer = part.layer;
  frame.scene.view.pinned_row = hit.column;
  frame.scene.view.pinned_column = 0;
}

// A row for each part: as high as its numbers need, where the column may scroll. A file has its legend inside.
Node norms_page(Sheet& sheet, const Shared& frame) {
  std::string error;
  const Norms norms = norms_of(frame->context(), frame->choice, &error);
  if (!norms) return waiting(sheet, error);
  const auto input = sheet.scene.data<figures::HeatmapInput>(
      std::tuple(norms, spoken_language()), [&] { return norms_input(frame->context(), frame->choice, *norms); });
  const std::string longest = longest_words(*input, *norms);
  const auto rows = static_cast<float>(norms->parts.size());
  const Hot& now = frame->context().hover.now;
  std::int64_t hot_row = -1, hot_column = -1;
  for (std::size_t i = 0; i < norms->parts.size() && !now.value.step.empty(); ++i)
    if (norms->parts[i].step == now.value.step && now.value.index.size() == 3) {
      hot_row = static_cast<std::int64_t>(i);
      hot_column = now.value.index[1];
    }
  const auto draw = [input, longest, hot_row, hot_column](Size s, bool paper, const Pen& pen) {
    figures::HeatmapInput lit = *input;
    lit.legend = paper;
    if (paper && !longest.empty()) lit.note = lit.note.empty() ? longest : longest + "; " + lit.note;
    if (!paper) lit.hot_row = hot_row, lit.hot_column = hot_column;
    return figures::heatmap(lit, s.w, s.h, pen.theme, pen.measure);
  };
  const float filed = std::max(360.0f, 18 * rows + 190);
  Part map{.id = "norms",
           .picture =
               [draw, filed](Size s, const Pen& pen) {
                 return draw({s.w, s.h > 0 ? s.h : filed}, s.h <= 0, pen);
               },
           .of = sheet.scene.made_of<struct NormsOf>(input, hot_row, hot_column),
           .hit = [frame, norms, input](const Drawn& drawn) { follow_length(*frame, *norms, *input, drawn.hit); },
           .paper = {900, 0},
           .framed = true};
  if (frame->filed()) return sheet.picture(std::move(map), frame->wide(0, 900));
  const float around = 130;  // the title, the tokens' names and the axis
  Node picture = sheet.picture(std::move(map), frame->wide(300, 900), {around + 18 * rows, around + 40 * rows, kAny});
  picture.forms.push_back({frame->wide(300, 900), [rows](float) { return Span{200, 130 + 40 * rows, kAny}; }});
  Node column = Sheet::column("norms column", 0, {std::move(picture)});
  column.scrolls = true;
  std::vector<Node> all = {std::move(column)};
  if (!longest.empty()) {
    all.push_back(sheet.words("longest", longest, 15, sheet.scene.pen.theme.text));
    all.back().presented = true;
  }
  all.push_back(sheet.picture({.id = "norms scale",
                               .picture =
                                   [input](Size s, const Pen& pen) {
                                     return figures::legend_figure(figures::legend_of(*input), 0, 240, s.w, pen.theme,
                                                                   pen.measure);
                                   },
                               .of = input},
                              frame->wide(200, 600)));
  return Sheet::column("norms page", {4, 6, 6}, std::move(all));
}

Node shown_page(Sheet& sheet, const Shared& frame) {
  const std::string& page = frame->state.page;
  if (page == "ledger") return ledger_page(sheet, frame);
  if (page == "arrows") return arrows_page(sheet, frame);
  if (page == "grid") return grid_page(sheet, frame);
  if (page == "map") return map_page(sheet, frame);
  if (page == "heads") return map_sum_page(sheet, frame);
  if (page == "combiners") return combiners_page(sheet, frame);
  if (page == "norms") return norms_page(sheet, frame);
  return row_page(sheet, frame);
}

Sheet sheet_of(const Scene& scene) {
  const Context& context = scene.context;
  State& state = scene.state<State>();
  Sheet sheet(scene);
  const AttentionChoice choice = choose_attention(context);
  if (auto notice = no_attention(sheet, choice)) {
    sheet.root = std::move(*notice);
    return sheet;
  }
  const std::int64_t query = is_ledger(state) ? ledger_query(scene, choice) : chosen_query(context, choice);
  const auto frame = std::make_shared<const Frame>(Frame{scene, state, choice, query});
  sheet.root = Sheet::column("values", {4, 12, 12}, {controls(sheet, frame), shown_page(sheet, frame)});
  return sheet;
}

// The sum that the page is about: the largest number of the row's context vector, the strongest of it that there is to explain.
ValueAddress subject_of(const Context& context) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0) return {};
  const auto row = row_of(context, choice, chosen_query(context, choice), nullptr);
  if (!row || row->sum.empty()) return {};
  const auto largest =
      std::max_element(row->sum.begin(), row->sum.end(), [](double a, double b) { return std::abs(a) < std::abs(b); });
  return {context.trace->name_at(row->prefix, Role::context),
          {row->batch, row->head, row->query, static_cast<std::int64_t>(largest - row->sum.begin())}};
}

}  // namespace

sheet::Node waiting(Sheet& sheet, const std::string& error) {
  const figures::Theme& theme = sheet.scene.pen.theme;
  return sheet.notice(error.empty() ? tr("computing …") : error, error.empty() ? theme.secondary : theme.wrong);
}

namespace {

// The token that looks, where the page is about one.
std::vector<Control> strip_controls(Context& context) {
  const State& state = context.view.own.of<State>();
  const AttentionChoice choice = context.trace ? choose_attention(context) : AttentionChoice();
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0 || is_map(state) || is_norms(state)) return {};
  const std::vector<std::string> names = row_labels(context, choice);
  std::string widest;
  for (const std::string& name : names)
    if (context.measure.width(name, 14, figures::Font::words) > context.measure.width(widest, 14, figures::Font::words))
      widest = name;
  const std::int64_t query = chosen_query(context, choice, !is_ledger(state));
  return {{.id = "query",
           .label = tr("query"),
           .why = tr("Another token that looks: the row of the attention shown here"),
           .value = names[static_cast<std::size_t>(query)],
           .widest = widest,
           .at = query,
           .count = choice.site->queries,
           .step = [&context, choice](std::int64_t to) { step_to(context, choice, to); }}};
}

}  // namespace
}  // namespace values

const View& values_view() {
  using namespace values;
  static const View view = {
      .id = "values",
      .label = tr_later("Values"),
      .sees = tr_later("What attention carries from token to token, added up number by number"),
      .formula = "context = Σ weight · v;  E + ΔE,  ΔE = context W_O",
      .source = "Vaswani et al. 2017",
      .group = "attention",
      .icon = "2,17 18,17; 5,17 5,9; 10,17 10,4; 15,17 15,12",
      .pages = {{"", tr_later("sum"), tr_later("One row of one head: what each key gives, and their sum"), true, "sum",
                 "one token's row of one head as a sum of weighted values"},
                {"ledger", tr_later("ledger"),
                 tr_later("All that the layer adds to the token: each head, biases and the feed-forward part, which add up"),
                 true, "ledger", "all that a layer adds to one token"},
                {"arrows", tr_later("arrows"), tr_later("The ledger's sum as arrows in a plane, each behind the one before it"),
                 true, "ledger-arrows", "all that a layer adds to one token, as arrows in a plane"},
                {"grid", tr_later("grid"), tr_later("One head: weight × value in every cell, the sums below"), false,
                 "weighted-values", "weight times value in every cell of a head"},
                {"map", tr_later("map"),
                 tr_later("What one head's matrices make of any vector: two thin maps, their product and its singular values"),
                 true, "value-map", "one head's value map: two thin matrices, their product and its singular values"},
                {"heads", tr_later("all heads"),
                 tr_later("What all heads hand on, added up, beside Concat W_O, and the difference"), false, "value-map-sum",
                 "all heads' ways added up beside Concat W_O, and the difference"},
                {"combiners", tr_later("combiners"),
                 tr_later(
                     "Heads of full width made one by a small 2-D stack, beside Concat W_O: outputs, numbers to learn, time"),
                 false, "combiners", "heads of full width made one by the 2-D stack and by Concat W_O, with counts and times"},
                {"norms", tr_later("norms"),
                 tr_later("How long every token's vector is after every attention and every feed-forward part"), true, "norms",
                 "the length of every token's vector after every part of every layer"}},
      .page = [](ViewState& v) -> std::string& { return v.own.of<State>().page; },
      .first = "sum",
      .sheet = sheet_of,
      .needs = {Role::v},
      .wide = is_wide,
      .subject = subject_of,
      .samples = {{"pinned",
                   [](ViewState& v) {
                     v.pinned_row = 2;
                     v.pinned_column = 1;
                   }}},
      .of_head = [](const ViewState& v) { return !is_norms(v.own.of<State>()); },
      .controls = strip_controls,
      .offers = {{Offers::ledger}}};
  return view;
}

}  // namespace headlight::views
