#include "app/panels/values/ledger.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "app/figures/base/labels.h"
#include "app/gl/figure_view.h"
#include "app/panels/shared/attention_bar.h"
#include "app/panels/shared/figure_menu.h"
#include "app/panels/values/ledger_inputs.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "imgui.h"

namespace headlight::panels {
namespace {

using Kind = LayerLedger::Kind;

constexpr float kGap = 24, kLeastTwo = 980, kLeastRow = 20, kMostRow = 40, kMostCell = 46, kLeastCell = 26;
constexpr std::array<std::int64_t, 6> kCounts{4, 8, 16, 32, 64, 128};

// The page while it is drawn.
struct LedgerPage {
  Context& context;
  const ui::Look& look;
  const LedgerPlace& place;
  std::shared_ptr<const LayerLedger> ledger;
  std::shared_ptr<const WeightedValues> values;  // null: not ready
};

std::string stack_of(const AttentionChoice& choice) { return choice.kind == "decoder.cross." ? "decoder." : choice.kind; }

// "decoder.layer.1.cross." as ViewState::site: "decoder.cross."
std::string kind_of(const std::string& prefix) {
  std::string kind = prefix;
  const std::size_t layer = kind.find("layer."), end = kind.find('.', layer + 6);
  return kind.erase(layer, end + 1 - layer);
}

void choose_head(const LedgerPage& page, const LayerLedger::Row& row) {
  page.context.view.site = kind_of(row.prefix);
  page.context.view.head = row.head;
}

// The bracket with this dimension in its middle.
void move_bracket(const LedgerPage& page, std::int64_t dimension) {
  ValuesView& view = page.context.view.values;
  const auto d = static_cast<std::int64_t>(page.ledger->rows.front().vector.size());
  view.first = std::clamp<std::int64_t>(dimension - view.dimensions / 2, 0, std::max<std::int64_t>(0, d - view.dimensions));
  view.dimension = -1;
}

void tell_row(const LedgerPage& page, const LayerLedger::Row& row, std::int64_t dimension) {
  std::string words;
  if (dimension >= 0)
    words =
        fill(tr("dimension {}: {}"), {std::to_string(dimension), short_number(row.vector[static_cast<std::size_t>(dimension)])});
  else
    words = fill(tr("length {}, cosine with E {}, length of the sum up to here {}"),
                 {short_number(row.length), short_number(row.cosine), short_number(row.running)});
  if (row.kind == Kind::head && dimension >= 0)
    words += std::string("; ") + tr("a click takes the head into the grid and brings the bracket here");
  else if (row.kind == Kind::head)
    words += std::string("; ") + tr("a click takes the head into the grid");
  else if (dimension >= 0)
    words += std::string("; ") + tr("a click brings the bracket here");
  ui::tooltip(page.look, words);
}

// Up and down through the heads, left and right through the dimensions.
void walk_rows(const LedgerPage& page) {
  const auto& rows = page.ledger->rows;
  const auto step = [&](int by) {
    const auto count = static_cast<std::int64_t>(rows.size());
    for (std::int64_t i = row_of_head(*page.ledger, page.place.choice.prefix(), page.place.choice.head) + by; i >= 0 && i < count;
         i += by)
      if (rows[static_cast<std::size_t>(i)].kind == Kind::head) {
        choose_head(page, rows[static_cast<std::size_t>(i)]);
        return;
      }
  };
  if (ImGui::IsKeyPressed(ImGuiKey_DownArrow)) step(1);
  if (ImGui::IsKeyPressed(ImGuiKey_UpArrow)) step(-1);
  const ValuesView& view = page.context.view.values;
  const std::int64_t middle = view.first + view.dimensions / 2;
  if (ImGui::IsKeyPressed(ImGuiKey_LeftArrow)) move_bracket(page, std::max<std::int64_t>(0, middle - view.dimensions));
  if (ImGui::IsKeyPressed(ImGuiKey_RightArrow)) move_bracket(page, middle + view.dimensions);
}

void point_at_row(const LedgerPage& page, const gl::Hit& hit) {
  const bool strip = hit.tag.kind == figures::Tag::cell_area;
  if (!hit.hovered || (!strip && hit.tag.kind != figures::Tag::row)) return;
  const std::int64_t at = strip ? hit.row : hit.tag.a;
  if (at < 0 || at >= static_cast<std::int64_t>(page.ledger->rows.size())) return;
  const LayerLedger::Row& row = page.ledger->rows[static_cast<std::size_t>(at)];
  const std::int64_t dimension = strip && hit.column < static_cast<std::int64_t>(row.vector.size()) ? hit.column : -1;
  Hot& next = page.context.hover.next;
  if (row.kind == Kind::head) {
    next.layer = page.place.layer();
    next.head = row.head;
    if (row.prefix == page.place.choice.prefix()) {
      next.row = page.place.query;
      next.column = row.key;
    }
  }
  if (dimension >= 0 && !row.step.empty()) next.value = {row.step, {page.place.choice.batch, page.place.query, dimension}};
  tell_row(page, row, dimension);
  if (hit.clicked && row.kind == Kind::head) choose_head(page, row);
  if (dimension >= 0 && (hit.clicked || hit.dragging)) move_bracket(page, dimension);
}

void draw_table(const LedgerPage& page, float width, float height) {
  Context& context = page.context;
  figures::LedgerInput input = ledger_input(context, page.place, *page.ledger);
  const auto rows = static_cast<float>(std::max<std::size_t>(1, input.rows.size()));
  input.row_height = std::clamp(std::floor((height - figures::ledger_frame_height(input)) / rows), kLeastRow, kMostRow);
  const Hot& hot = context.hover.now;
  if (hot.head >= 0 && hot.layer == page.place.layer())
    input.hot = row_of_head(*page.ledger, page.place.choice.prefix(), hot.head);
  figures::Figure figure = figures::ledger_table(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "ledger", true);
  name_part(context, "values:ledger");
  point_at_row(page, hit);
  if (hit.focused) walk_rows(page);
  figure_menu(context, "ledger menu", hit, [&] { return ledger_figure(context, page.place.choice, page.place.query, 960); });
}

void point_at_cell(const LedgerPage& page, const gl::Hit& hit, const figures::WeightedGridInput& input) {
  if (!hit.hovered) return;
  std::int64_t query = -1, key = -1, dimension = -1;
  if (hit.tag.kind == figures::Tag::cell) {
    key = hit.tag.a;
    query = hit.tag.b;
  } else if (hit.tag.kind == figures::Tag::column) {
    query = hit.tag.a;
  } else if (hit.tag.kind == figures::Tag::row) {
    key = hit.tag.a;
  } else if (hit.tag.kind == figures::Tag::cell_area && hit.column >= 0) {
    const figures::GridPlace at = figures::grid_place(hit.column, page.values->count);
    if (at.shown >= static_cast<std::int64_t>(input.shown_queries.size())) return;
    query = input.shown_queries[static_cast<std::size_t>(at.shown)];
    if (hit.row < figures::kOthers) key = hit.row;
    dimension = at.dimension;
  }
  if (query < 0 && key < 0) return;
  Context& context = page.context;
  context.hover.next.row = query;
  context.hover.next.column = key;
  if (query >= 0 && key >= 0) {
    context.hover.next.value = {context.trace->name_at(page.place.choice.prefix(), Role::weights),
                                {page.place.choice.batch, page.place.choice.head, query, key}};
    const double w = page.values->weights.at({query, key});
    std::string words = fill(tr("{} looks at {}: {}"), {input.queries[static_cast<std::size_t>(query)],
                                                        input.keys[static_cast<std::size_t>(key)], short_number(w)});
    if (dimension >= 0) {
      const double v = page.values->value(query, key, dimension);
      words += fill(tr("; dimension {}: {} × {} = {}"),
                    {std::to_string(page.values->first + dimension), short_number(w), short_number(v), short_number(w * v)});
    }
    ui::tooltip(page.look, words);
  }
  if (!hit.clicked || query < 0) return;
  context.view.pinned_row = query;
  context.view.pinned_column = std::max<std::int64_t>(0, key);
  context.view.values.dimension = dimension >= 0 ? page.values->first + dimension : -1;
}

// Rows as high as there is room for, and as many keys as fit in rows that are still readable.
void fit_rows(figures::WeightedGridInput& input, float width, float height, const figures::TextMeasure& measure) {
  figures::GridRoom room{};
  for (input.row_height = kMostCell; input.row_height >= kLeastCell; input.row_height -= 2) {
    room = figures::grid_room(input, width, height, measure);
    if (room.rows >= static_cast<std::int64_t>(input.keys.size())) break;
  }
  input.row_height = std::max(input.row_height, kLeastCell);
  fit_grid(input, room);
}

void draw_grid(const LedgerPage& page, float width, float height) {
  Context& context = page.context;
  if (!page.values) {
    ui::words(page.look, tr("computing …"), page.look.theme.secondary, 14);
    return;
  }
  figures::WeightedGridInput input = grid_input(context, page.place, *page.ledger, *page.values);
  // The number that is written out below; in a low window with fewer keys.
  const std::size_t written_keys = height < 560 ? 4 : 6;
  const float written_height = 38 + 20 * static_cast<float>(written_keys);
  fit_rows(input, width, height - written_height, context.measure);
  const Hot& hot = context.hover.now;
  input.hot_query = hot.row;
  input.hot_key = hot.column;
  input.dimension = shown_dimension(context, page.place, *page.values);
  figures::Figure figure = figures::weighted_grid(input, width, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "grid");
  name_part(context, "values:grid");
  point_at_cell(page, hit, input);
  figure_menu(context, "grid menu", hit, [&] { return grid_figure(context, page.place.choice, page.place.query, 960); });
  ImGui::Dummy({0, page.look.px(6)});
  const figures::DimensionSumInput written = dimension_input(context, page.place, *page.values, input.dimension, written_keys);
  figures::Figure sum = figures::dimension_sum(written, width, context.theme, context.measure);
  sum.background.a = 0;
  const gl::Hit of_sum = context.figures.draw(sum, "dimension");
  name_part(context, "values:dimension");
  figure_menu(context, "dimension menu", of_sum, [&] {
    figures::Figure paper = figures::dimension_sum(written, 520, context.theme, context.measure);
    paper.title = written.title;
    return paper;
  });
}

}  // namespace

void draw_ledger_choices(Context& context, const ui::Look& look) {
  ValuesView& view = context.view.values;
  const auto found = std::lower_bound(kCounts.begin(), kCounts.end(), view.dimensions);
  const auto at = std::min<std::int64_t>(found - kCounts.begin(), static_cast<std::int64_t>(kCounts.size()) - 1);
  const std::string text = fill(tr("{} dimensions"), {std::to_string(view.dimensions)});
  next_on_line(look, look.figures.width(text, 14, figures::Font::words) + 2 * 26 + 16);
  const std::int64_t to = stepper(look, "dimensions", text, at, static_cast<std::int64_t>(kCounts.size()),
                                  tr("How many dimensions the bracket holds, which the grid shows"));
  name_part(context, "values:dimensions");
  if (to >= 0) view.dimensions = kCounts[static_cast<std::size_t>(to)];
  const char* const scales[] = {tr("two scales"), tr("one scale")};
  const char* const why[] = {tr("Heads and biases are small beside the totals, so that they have a scale of their own"),
                             tr("The same colour is the same number in all rows")};
  next_on_line(look, look.figures.width(scales[0], 14, figures::Font::words) +
                         look.figures.width(scales[1], 14, figures::Font::words) + 56);
  const int clicked = ui::segmented(look, "scales", scales, 2, view.one_scale ? 1 : 0, why);
  name_part(context, "values:scales");
  if (clicked >= 0) view.one_scale = clicked == 1;
}

void draw_ledger(Context& context, const ui::Look& look, const AttentionChoice& choice, std::int64_t query, bool only_grid) {
  const LedgerPlace place{choice, stack_of(choice), query};
  std::string error;
  const auto ledger = ledger_of(context, place, &error);
  const auto values = ledger ? grid_of(context, place, &error) : nullptr;
  if (!ledger) {
    ui::words(look, error.empty() ? tr("computing …") : error, error.empty() ? look.theme.secondary : look.theme.wrong, 15);
    return;
  }
  const LedgerPage page{context, look, place, ledger, values};
  const float width = std::floor(ImGui::GetContentRegionAvail().x / context.scale - 14);
  const float height = ImGui::GetContentRegionAvail().y / context.scale;
  if (only_grid) {
    draw_grid(page, width, height);
    return;
  }
  if (context.view.presentation) {  // without the controls that say it, a line says whose ledger this is
    const float top = ImGui::GetCursorScreenPos().y;
    const auto names = row_labels(context, choice);
    ui::words(look,
              fill(tr("All that layer {} adds to {}"), {std::to_string(place.layer()), names[static_cast<std::size_t>(query)]}),
              look.theme.text, ui::kHeading);
    name_part(context, "values:ledger title");
    draw_table(page, width, height - (ImGui::GetCursorScreenPos().y - top) / context.scale);
    return;
  }
  if (width < kLeastTwo) {
    draw_table(page, width, height);
    ImGui::Dummy({0, look.px(12)});
    draw_grid(page, width, std::max(height, 420.0f));
    return;
  }
  const float right = std::floor((width - kGap) * 0.4f), left = width - right - kGap;
  const ImGuiWindowFlags quiet =
      ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse | ImGuiWindowFlags_NoBackground;
  const ImGuiChildFlags grows = ImGuiChildFlags_NavFlattened | ImGuiChildFlags_AutoResizeY;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, ImVec2(0, 0));
  if (ImGui::BeginChild("rows", {look.px(left), 0}, grows, quiet)) draw_table(page, left, height);
  ImGui::EndChild();
  ImGui::SameLine(0, look.px(kGap));
  if (ImGui::BeginChild("cells", {look.px(right), 0}, grows, quiet)) draw_grid(page, right, height);
  ImGui::EndChild();
  ImGui::PopStyleVar();
}

figures::Figure ledger_figure(const Context& context, const AttentionChoice& choice, std::int64_t query, float width) {
  const LedgerPlace place{choice, stack_of(choice), query};
  const auto ledger = ledger_of(context, place, nullptr);
  if (!ledger) return {};
  figures::LedgerInput input = ledger_input(context, place, *ledger);
  input.current = -1;
  input.count = 0;  // the bracket belongs to the grid
  const auto names = row_labels(context, choice);
  input.title = fill(tr("All that layer {} adds to {}"), {std::to_string(place.layer()), names[static_cast<std::size_t>(query)]});
  return figures::ledger_table(input, width, context.theme, context.measure);
}

figures::Figure grid_figure(const Context& context, const AttentionChoice& choice, std::int64_t query, float width) {
  const LedgerPlace place{choice, stack_of(choice), query};
  const auto ledger = ledger_of(context, place, nullptr);
  const auto values = ledger ? grid_of(context, place, nullptr) : nullptr;
  if (!values) return {};
  figures::WeightedGridInput input = grid_input(context, place, *ledger, *values);
  fit_grid(input, figures::grid_room(input, width, 900, context.measure));
  input.in_file = true;
  input.title = attention_title(choice) + ": " + tr("weight × value");
  return figures::weighted_grid(input, width, context.theme, context.measure);
}

}  // namespace headlight::panels
