// The Values tab: one row of attention as a sum of vectors. It shows what each key gives (weight times value), the sum, the sum
// times the output matrix, and how that moves the query's vector; beside it the effect of scale and temperature on the row. Two
// further pages show all that a layer adds to a token and one head's weighted values in a grid (ledger.cpp); two more its value
// map, and that the heads' maps add up (value_map_page.cpp).
#include <algorithm>
#include <cmath>
#include <iterator>
#include <string_view>

#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/panels.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/values/combiner_page.h"
#include "app/panels/values/ledger.h"
#include "app/panels/values/value_map_page.h"
#include "app/panels/values/values_figures.h"
#include "app/panels/values/values_scale.h"
#include "app/text/error_words.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using figures::Font;

constexpr float kValuesGap = 28, kValuesLeastTwo = 780;  // points of width from which both halves are side by side

// Reports what is under the mouse: the cell's row and column, and the exact number.
void light(Context& context, const RowSum& row, std::int64_t key, ValueAddress value) {
  if (key >= 0) {
    context.hover.next.row = row.query;
    context.hover.next.column = key;
  }
  context.hover.next.value = std::move(value);
}

void pin_key(Context& context, const RowSum& row, std::int64_t key) {
  ViewState& view = context.view;
  const bool again = view.pinned_row == row.query && view.pinned_column == key;
  view.pinned_row = again ? -1 : row.query;
  view.pinned_column = again ? -1 : key;
  view.inspector.step.clear();
  view.inspector.index.clear();
}

void pin_value(Context& context, const ValueAddress& value) {
  ViewState& view = context.view;
  const bool again = view.inspector.step == value.step && view.inspector.index == value.index;
  view.inspector.step = again ? std::string() : value.step;
  view.inspector.index = again ? std::vector<std::int64_t>() : value.index;
}

figures::Figure opaque(figures::Figure figure, const Context& context) {
  figure.background = context.theme.background;
  return figures::stacked({figure}, 0, 16);
}

void draw_bar(Context& context, const ui::Look& look, const AttentionChoice& choice, const RowSum& row, float width) {
  figures::StackedBarInput input = bar_input(context, choice, row);
  const Hot& hot = context.hover.now;
  input.hot = hot.row == row.query ? hot.column : -1;
  figures::Figure figure = figures::stacked_bar(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "bar");
  name_part(context, "values:bar");
  if (hit.hovered && hit.tag.kind == figures::Tag::column) {
    const std::int64_t key = hit.tag.a;
    light(context, row, key, {context.trace->name_at(row.prefix, Role::weights), {row.batch, row.head, row.query, key}});
    if (hit.clicked) pin_key(context, row, key);
    std::string label;
    for (const auto& part : input.parts)
      if (part.index == key) label = part.label;
    for (const auto& part : row.parts)
      if (part.key == key)
        ui::tooltip(look, fill(tr("{}: weight {}, weight × length of v {}, along the sum {}"),
                               {label, short_number(part.weight), short_number(part.length), short_number(part.along)}));
  }
  figure_menu(context, "bar menu", hit, [&] {
    input.hot = -1;
    return opaque(figures::stacked_bar(input, 900, context.theme, context.measure), context);
  });
}

void draw_entropy(const ui::Look& look, const RowSum& row) {
  const std::string n = std::to_string(row.parts.size());
  const std::string words = row.parts.size() < 2
                                ? std::string(tr("One key alone: it gets weight 1, there is nothing to choose and no entropy."))
                                : fill(tr("row entropy {} nat, {} % of ln {} = {}: as if it looked at {} of {} keys alike"),
                                       {short_number(row.entropy), short_number(100 * row.entropy / row.most_entropy), n,
                                        short_number(row.most_entropy), short_number(std::exp(row.entropy)), n});
  ui::words(look, words, look.theme.text, 14);
  ui::tooltip(look, tr("How spread out the row is: 0 when one key gets all, ln n when all n keys get the same"),
              "H = - Σ w ln w");
}

void draw_sum(Context& context, const AttentionChoice& choice, const RowSum& row, float width, std::size_t most) {
  figures::StripsInput input = sum_input(context, choice, row, most);
  if (context.view.presentation) input.note.clear();  // shown beside the tabs instead
  figures::Figure figure = figures::strips(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "sum");
  name_part(context, "values:sum");
  if (hit.hovered && hit.tag.kind == figures::Tag::row && hit.tag.a >= 0) {
    light(context, row, hit.tag.a,
          {context.trace->name_at(row.prefix, Role::weights), {row.batch, row.head, row.query, hit.tag.a}});
    if (hit.clicked) pin_key(context, row, hit.tag.a);
  }
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 &&
      hit.row < static_cast<std::int64_t>(input.rows.size())) {
    const auto& line = input.rows[static_cast<std::size_t>(hit.row)];
    const bool right = hit.column >= figures::kRightStrips;
    const std::int64_t dimension = hit.column - (right ? figures::kRightStrips : 0);
    ValueAddress value;
    if (line.sum) value = {context.trace->name_at(row.prefix, Role::context), {row.batch, row.head, row.query, dimension}};
    if (line.index >= 0) value = {context.trace->name_at(row.prefix, Role::v), {row.batch, row.head, line.index, dimension}};
    light(context, row, line.index, value);
    if (hit.clicked && !value.step.empty()) pin_value(context, value);
  }
  figure_menu(context, "sum menu", hit, [&] {
    figures::StripsInput quiet = input;
    quiet.hot = -1;
    return opaque(figures::strips(quiet, 900, context.theme, context.measure), context);
  });
}

void draw_vectors(Context& context, const AttentionChoice& choice, const RowSum& row, float width) {
  const figures::StripsInput input = vectors_input(context, choice, row);
  if (input.rows.empty()) return;
  figures::Figure figure = figures::strips(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "vectors");
  name_part(context, "values:vectors");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 &&
      hit.row < static_cast<std::int64_t>(input.rows.size())) {
    // Rows in the order of vectors_input(); one head's share is not a step of the trace.
    std::vector<std::string> steps;
    if (!row.before.empty()) steps.push_back(row.before_step);
    if (!row.head_adds.empty()) steps.push_back(choice.site->heads > 1 ? "" : row.all_step);
    if (choice.site->heads > 1) steps.push_back(row.all_step);
    steps.push_back(row.replaces ? row.all_step : row.after_step);
    const auto at = static_cast<std::size_t>(hit.row);
    if (at < steps.size() && !steps[at].empty()) {
      const ValueAddress value{steps[at], {row.batch, row.query, hit.column}};
      light(context, row, -1, value);
      if (hit.clicked) pin_value(context, value);
    }
  }
  figure_menu(context, "vectors menu", hit,
              [&] { return opaque(figures::strips(input, 900, context.theme, context.measure), context); });
}

void draw_movement(Context& context, const AttentionChoice& choice, std::int64_t query, float width, float height) {
  const auto moved = movement_of(context, choice, query);
  if (!moved) return;
  figures::CurvesInput input = movement_input(context, choice, query, *moved);
  figures::Figure figure = figures::curves(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "movement");
  name_part(context, "values:movement");
  if (hit.hovered) {
    const std::int64_t layer = figures::curve_point_at(figure, input, hit.at);
    if (layer >= 0) {
      const auto& here = moved->layers[static_cast<std::size_t>(layer)];
      const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
      ui::tooltip(look, fill(tr("layer {}: moved {} by attention, {} by feed-forward; now {} from its start, cos {}"),
                             {std::to_string(layer), short_number(here.by_attention), short_number(here.by_feed_forward),
                              short_number(here.from_start), short_number(here.cosine)}));
      if (hit.clicked) context.view.layer = layer;
    }
  }
  figure_menu(context, "movement menu", hit, [&] {
    input.hot = -1;
    input.margin = 12;
    return opaque(figures::curves(input, 640, 360, context.theme, context.measure), context);
  });
}

bool is_ledger(const ViewState& view) { return view.values.page == "ledger" || view.values.page == "grid"; }
bool is_map(const ViewState& view) {
  return view.values.page == "map" || view.values.page == "heads" || view.values.page == "combiners";
}
bool is_wide(const ViewState& view) { return is_ledger(view) || is_map(view); }

// Which page is shown.
void draw_pages(Context& context, const ui::Look& look) {
  static constexpr std::string_view kPages[] = {"sum", "ledger", "grid", "map", "heads", "combiners"};
  const char* const labels[] = {tr("sum"), tr("ledger"), tr("grid"), tr("map"), tr("all heads"), tr("combiners")};
  const char* const why[] = {
      tr("One row of one head: what each key gives, and their sum"),
      tr("All that the layer adds to the token: each head, biases and the feed-forward part, which add up"),
      tr("One head: weight × value in every cell, the sums below"),
      tr("What one head's matrices make of any vector: two thin maps, their product and its singular values"),
      tr("What all heads hand on, added up, beside Concat W_O, and the difference"),
      tr("Heads of full width made one by a small 2-D stack, beside Concat W_O: outputs, numbers to learn, time")};
  const std::string& page = context.view.values.page;
  ImGui::BeginGroup();
  const auto* const at = std::find(std::begin(kPages), std::end(kPages), page);
  const int clicked = ui::segmented(look, "pages", labels, static_cast<int>(std::size(labels)),
                                    at == std::end(kPages) ? 0 : static_cast<int>(at - kPages), why);
  ImGui::EndGroup();
  name_part(context, "values:pages");
  if (clicked >= 0) context.view.values.page = std::string(kPages[clicked]);
}

// The token of the ledger: that of the chip under the mouse, which a click keeps, else the pinned one, else the strongest cell's.
// A cell under the mouse does not change it, because the cells are the ledger's own.
std::int64_t ledger_query(Context& context, const AttentionChoice& choice) {
  const std::int64_t query = chosen_query(context, choice, false);
  const std::int64_t chip = hovered_token(*context.trace, choice.site->rows_are_targets, choice.batch, context.hover.now);
  if (chip == query && ImGui::IsMouseClicked(ImGuiMouseButton_Left))
    if (const auto row = row_of(context, choice, query, nullptr)) pin_row(context, *row);
  return query;
}

// The bar above, with buttons to step through the queries.
void draw_header(Context& context, const ui::Look& look, const AttentionChoice& choice, std::int64_t query) {
  draw_pages(context, look);
  next_on_line(look, attention_bar_start(look, choice), 16);
  draw_attention_bar(context, look, choice);
  if (is_map(context.view)) return;  // a map is the same for every token
  const std::string text = fill(tr("query {}: {}"), {std::to_string(query), query_name(context, choice, query)});
  next_on_line(look, context.measure.width(text, 14, Font::words) + 2 * 26 + 16);
  const std::int64_t to = stepper(look, "query", text, query, choice.site->queries,
                                  tr("Another token that looks: the row of the attention shown here"));
  name_part(context, "values:query");
  if (to < 0) return;
  context.view.pinned_row = to;
  context.view.pinned_column = -1;
  if (const auto row = row_of(context, choice, to, nullptr)) pin_row(context, *row);
}

// The part of `height` that is left below what the column, begun at `top`, has drawn so far; in points.
float room_below(const Context& context, float top, float height) {
  return height - (ImGui::GetCursorScreenPos().y - top) / context.scale;
}

// As many keys have their own lines as leave room for what follows; a low window scrolls.
std::size_t keys_that_fit(float room, const AttentionChoice& choice) {
  const float vectors = choice.site->heads > 1 ? 204 : 184, around = 172;  // titles, axes and colour bars of both pictures
  return static_cast<std::size_t>(std::clamp((room - vectors - around) / kStrip, 6.0f, 12.0f));
}

void draw_left(Context& context, const ui::Look& look, const AttentionChoice& choice, const RowSum& row, float width,
               float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  draw_bar(context, look, choice, row, width);
  draw_entropy(look, row);
  ImGui::Dummy({0, look.px(4)});
  if (row.parts.empty()) {
    ui::words(look, tr("Every key is masked for this query: the row is all zeros and adds nothing."), look.theme.text, 15);
  } else {
    draw_sum(context, choice, row, width, keys_that_fit(room_below(context, top, height), choice));
  }
  ImGui::Dummy({0, look.px(4)});
  draw_vectors(context, choice, row, width);
}

void draw_right(Context& context, const ui::Look& look, const AttentionChoice& choice, const RowSum& row, float width,
                float height) {
  const float top = ImGui::GetCursorScreenPos().y;
  draw_scale(context, look, choice, row, width);
  ImGui::Dummy({0, look.px(6)});
  draw_movement(context, choice, row.query, width, std::clamp(room_below(context, top, height) - 8, 160.0f, 260.0f));
}

void draw(Context& context) {
  const ui::Look look{context.theme, context.fonts, context.figures, context.scale};
  const AttentionChoice choice = choose_attention(context);
  if (says_no_attention(context, look, choice)) return;
  const bool ledger = is_ledger(context.view);
  const std::int64_t query = ledger ? ledger_query(context, choice) : chosen_query(context, choice);
  if (!context.view.presentation) draw_header(context, look, choice, query);
  if (is_map(context.view)) {
    ImGui::Dummy({0, look.px(2)});
    if (context.view.values.page == "combiners")
      draw_combiners(context, look, choice);
    else
      draw_value_map(context, look, choice, context.view.values.page == "heads");
    return;
  }
  if (ledger) {
    if (!context.view.presentation) draw_ledger_choices(context, look);
    ImGui::Dummy({0, look.px(2)});
    draw_ledger(context, look, choice, query, context.view.values.page == "grid");
    return;
  }
  const Error* error = nullptr;
  const auto row = row_of(context, choice, query, &error);
  if (!row) {
    ui::words(look, error ? spoken_in_window(*error) : tr("computing …"), error ? look.theme.wrong : look.theme.secondary, 15);
    return;
  }
  ImGui::Dummy({0, look.px(2)});
  const float width = ImGui::GetContentRegionAvail().x / context.scale - 14;  // room for a scrollbar is reserved
  const float height = ImGui::GetContentRegionAvail().y / context.scale;
  if (context.view.presentation) {
    draw_bar(context, look, choice, *row, width);
    // The strips fill the rest: title, column names, an axis and the colour bars are around the rows.
    const float left = ImGui::GetContentRegionAvail().y / context.scale;
    if (!row->parts.empty()) draw_sum(context, choice, *row, width, static_cast<std::size_t>(std::max(2.0f, (left - 128) / 22)));
    return;
  }
  const bool two = width >= kValuesLeastTwo;
  const float right = two ? std::clamp(width * 0.36f, 290.0f, 480.0f) : width, left = two ? width - right - kValuesGap : width;
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  const ImGuiChildFlags grows = ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AutoResizeY;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("row", {look.px(left), 0}, grows, quiet)) draw_left(context, look, choice, *row, left, height);
  ImGui::EndChild();
  if (two)
    ImGui::SameLine(0, look.px(kValuesGap));
  else
    ImGui::Dummy({0, look.px(8)});
  if (ImGui::BeginChild("scale", {look.px(right), 0}, grows, quiet))
    draw_right(context, look, choice, *row, right, two ? height : 0);
  ImGui::EndChild();
  ImGui::PopStyleVar();
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

figures::Figure figure_of_row(const Context& context, const AttentionChoice& choice, float width) {
  const auto row = row_of(context, choice, chosen_query(context, choice), nullptr);
  if (!row) return {};
  figures::StripsInput sum = sum_input(context, choice, *row, 24);
  sum.hot = -1;
  const float inner = width - 32;
  figures::Figure all =
      figures::stacked({figures::stacked_bar(bar_input(context, choice, *row), inner, context.theme, context.measure),
                        figures::strips(sum, inner, context.theme, context.measure),
                        figures::strips(vectors_input(context, choice, *row), inner, context.theme, context.measure)},
                       20, 16);
  all.title = attention_title(choice) + ": " + query_name(context, choice, row->query);
  return all;
}

enum class Page { sum, ledger, grid, map, map_sum, combiners };
figures::Figure picture_of(const Context& context, Page page, float width) {
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site || choice.site->queries == 0 || choice.site->keys == 0) return {};
  if (page == Page::sum) return figure_of_row(context, choice, width);
  if (page == Page::map || page == Page::map_sum || page == Page::combiners) {
    const figures::Figure figure = page == Page::map       ? value_map_figure(context, choice, width - 32)
                                   : page == Page::map_sum ? value_sum_figure(context, choice, width - 32)
                                                           : combiners_figure(context, choice, width - 32);
    return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
  }
  const std::int64_t query = chosen_query(context, choice);
  const figures::Figure figure =
      page == Page::ledger ? ledger_figure(context, choice, query, width - 32) : grid_figure(context, choice, query, width - 32);
  return figure.items.empty() ? figure : figures::stacked({figure}, 0, 16);
}

figures::Figure figure_of_page(const Context& context, float width, float) {
  const std::string& page = context.view.values.page;
  const Page shown = page == "ledger"      ? Page::ledger
                     : page == "grid"      ? Page::grid
                     : page == "map"       ? Page::map
                     : page == "heads"     ? Page::map_sum
                     : page == "combiners" ? Page::combiners
                                           : Page::sum;
  return picture_of(context, shown, width);
}

}  // namespace

Entry values_panel() {
  Entry entry = {"values", "Values",      "context = Σ weight · v;  E + ΔE,  ΔE = context W_O", "Vaswani et al. 2017",
                 draw,     figure_of_page};
  entry.wide = is_wide;
  entry.subject = subject_of;
  entry.pictures = {{"sum", "one token's row of one head as a sum of weighted values",
                     [](const Context& context, float width, float) { return picture_of(context, Page::sum, width); }},
                    {"ledger", "all that a layer adds to one token",
                     [](const Context& context, float width, float) { return picture_of(context, Page::ledger, width); }},
                    {"weighted-values", "weight times value in every cell of a head",
                     [](const Context& context, float width, float) { return picture_of(context, Page::grid, width); }},
                    {"value-map", "one head's value map: two thin matrices, their product and its singular values",
                     [](const Context& context, float width, float) { return picture_of(context, Page::map, width); }},
                    {"value-map-sum", "all heads' ways added up beside Concat W_O, and the difference",
                     [](const Context& context, float width, float) { return picture_of(context, Page::map_sum, width); }},
                    {"combiners", "heads of full width made one by the 2-D stack and by Concat W_O, with counts and times",
                     [](const Context& context, float width, float) { return picture_of(context, Page::combiners, width); }}};
  return entry;
}

}  // namespace headlight::panels
