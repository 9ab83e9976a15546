// Relative positions with clipping: the table row for each query and key, the tables, and their effect on the scores. Source:
// Shaw et al. 2018.
#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/views/base/attention_bar.h"
#include "app/views/positions/parts.h"
#include "engine/operations/relative_rows.h"

namespace headlight::views::placed {

namespace {

using Node = sheet::Node;
using sheet::kAny;
using sheet::Span;

constexpr float kLeastLegend = 186;  // height of a map with its legend

struct ShownNumbers {
  Tensor values;  // f32 [rows, columns]
  double largest = 0;
  std::uint64_t bytes() const { return values.bytes(); }
};

std::uint64_t key_hash(const std::string& key) { return std::hash<std::string>()(key) | 1; }

std::string signed_number(std::int64_t value) { return (value > 0 ? "+" : "") + std::to_string(value); }

figures::HeatmapInput signed_map(const Tensor& values, double largest, const std::string& key) {
  figures::HeatmapInput input;
  input.values = values;
  input.colormap = "signed";
  input.high = static_cast<float>(std::max(largest, 1e-6));
  input.low = -input.high;
  input.key = key_hash(key);
  return input;
}

// A table, or a tile of a step, as the trace holds it; null: it cannot be read.
std::shared_ptr<const ShownNumbers> numbers_of(const Context& context, const std::string& name, const Trace::Tile* tile) {
  DerivedKey key("positions/relative", {context.trace->generation(), name});
  if (tile) key.add(tile->batch).add(tile->head);
  const auto made = context.derived.now<ShownNumbers>(
      key,
      [trace = context.trace, name,
       part = tile ? std::optional(*tile) : std::nullopt](const CancelToken& cancel) -> Result<ShownNumbers> {
        HL_ASSIGN(const Tensor all, part ? trace->tile(name, *part) : trace->values(name, cancel));
        ShownNumbers out{all.as(DType::f32).compact()};
        for (const float v : out.values.values<float>()) out.largest = std::max(out.largest, static_cast<double>(std::abs(v)));
        return out;
      });
  return made.value;
}

AttentionChoice chosen(const Context& context) {
  AttentionChoice choice = choose_attention(context);
  if (choice.site && choice.site->relative_keys.empty()) choice.site = nullptr;
  return choice;
}

}  // namespace

figures::HeatmapInput distances_input(const Context& context) {
  const std::int64_t n = position_count(context), clip = context.document.relative_clip;
  Tensor values(DType::f32, {n, n}, {"query", "key"}, true);
  float* to = values.data<float>();
  for (std::int64_t i = 0; i < n; ++i)
    for (std::int64_t j = 0; j < n; ++j) *to++ = static_cast<float>(operations::relative_row(i, j, clip) - clip);
  figures::HeatmapInput input = signed_map(values, static_cast<double>(std::max<std::int64_t>(1, clip)),
                                           "positions/distances/" + std::to_string(n) + "/" + std::to_string(clip));
  input.fit = figures::CellFit::box;
  input.title = fill(tr("Distances, clipped at {}"), {std::to_string(clip)});
  input.row_axis = tr("query i");
  input.column_axis = tr("key j");
  input.data_name = "distances";
  input.range_words = fill(tr("clip(j - i, -{}, {})"), {std::to_string(clip), std::to_string(clip)});
  input.note = fill(tr("each number names a row of two tables of {} rows"), {std::to_string(2 * clip + 1)});
  if (const AttentionChoice choice = chosen(context); context.trace && choice.site && choice.site->queries == n) {
    input.row_labels = row_labels(context, choice);
    input.column_labels = column_labels(context, choice);
  }
  const Hot& hot = context.hover.now;
  input.hot_row = hot.row < n ? hot.row : -1;
  input.hot_column = hot.column < n ? hot.column : -1;
  return input;
}

std::optional<figures::HeatmapInput> distance_rows_input(const Context& context, bool of_values) {
  if (!context.trace) return std::nullopt;
  const AttentionChoice choice = chosen(context);
  if (!choice.site) return std::nullopt;
  const std::string& name = of_values ? choice.site->relative_values : choice.site->relative_keys;
  const auto numbers = numbers_of(context, name, nullptr);
  if (!numbers) return std::nullopt;
  figures::HeatmapInput input =
      signed_map(numbers->values, numbers->largest, "positions/rows/" + name + std::to_string(context.trace->generation()));
  input.title = of_values ? tr("a^V, added to values") : tr("a^K, added to keys");
  input.row_axis = "j - i";
  input.fit = figures::CellFit::box;
  input.column_axis = tr("dimension");
  input.row_name = "distance";
  input.column_name = "dimension";
  input.data_name = of_values ? "a_v" : "a_k";
  input.range_words = tr("value, symmetric about 0");
  input.note = random_note(*context.trace, choice.site->bias);
  const std::int64_t clip = choice.site->relative_clip;
  for (std::int64_t row = -clip; row <= clip; ++row) input.row_labels.push_back(signed_number(row));
  const Hot& hot = context.hover.now;
  if (hot.row >= 0 && hot.column >= 0) input.hot_row = operations::relative_row(hot.row, hot.column, clip);
  return input;
}

std::optional<figures::HeatmapInput> distance_scores_input(const Context& context) {
  if (!context.trace) return std::nullopt;
  const AttentionChoice choice = chosen(context);
  if (!choice.site) return std::nullopt;
  Trace::Tile tile;
  tile.batch = choice.batch;
  tile.head = choice.head;
  const auto numbers = numbers_of(context, choice.site->bias, &tile);
  if (!numbers) return std::nullopt;
  figures::HeatmapInput input = signed_map(numbers->values, numbers->largest,
                                           "positions/scores/" + choice.site->bias + std::to_string(context.trace->generation()) +
                                               "/" + std::to_string(choice.batch) + "/" + std::to_string(choice.head));
  input.fit = figures::CellFit::box;
  input.title = fill(tr("Added to scores, head {}"), {std::to_string(choice.head)});
  input.row_axis = tr("query");
  input.column_axis = tr("key");
  input.data_name = "position_bias";
  input.range_words = tr("added, symmetric about 0");
  input.note = tr("q · a^K of the distance, times the scale");
  input.row_labels = row_labels(context, choice);
  input.column_labels = column_labels(context, choice);
  const Hot& hot = context.hover.now;
  input.hot_row = hot.row;
  input.hot_column = hot.column;
  return input;
}

namespace {

void light_pair(const Frame& frame, std::int64_t query, std::int64_t key) {
  Hot& next = frame.context().hover.next;
  next.row = query;
  next.column = key;
  next.value = relative_address(frame.context(), query, key);
}

Node distances(Sheet& sheet, const Shared& frame, Span high) {
  const auto point = [frame](std::int64_t query, std::int64_t key, bool) {
    light_pair(*frame, query, key);
    const std::int64_t clip = frame->context().document.relative_clip;
    say_at_mouse(frame->scene, fill(tr("query at {}, key at {}: {} apart, row {} of a^K and a^V"),
                                    {std::to_string(query), std::to_string(key), signed_number(key - query),
                                     signed_number(operations::relative_row(query, key, clip) - clip)}));
  };
  return map_of(sheet, {.id = "distances", .input = distances_input(frame->context()), .hovered = point}, {240, 400, kAny}, high);
}

// One of the two tables; none if the trace has no such table.
std::optional<Node> table_of_rows(Sheet& sheet, const Shared& frame, bool of_values, Span high) {
  const auto input = distance_rows_input(frame->context(), of_values);
  if (!input) return std::nullopt;
  const auto point = [frame, of_values, labels = input->row_labels, values = input->values](std::int64_t row, std::int64_t column,
                                                                                            bool) {
    const AttentionSite& site = *chosen(frame->context()).site;
    if (!frame->context().computing)
      frame->context().hover.next.value = {of_values ? site.relative_values : site.relative_keys, {row, column}};
    say_at_mouse(frame->scene,
                 fill(tr("distance {}, dimension {}: {}"),
                      {labels[static_cast<std::size_t>(row)], std::to_string(column), short_number(values.at({row, column}))}));
  };
  return map_of(sheet,
                {.id = of_values ? "rows of values" : "rows", .input = *input, .hovered = point, .least_legend = kLeastLegend},
                {240, 400, kAny}, high);
}

// Both tables; small, and large in a low room, the first one alone.
Node tables_of_rows(Sheet& sheet, const Shared& frame, bool large) {
  const Span high = large ? Span{kLeastLegend, 230, kAny} : Span{170, 300, kAny};
  std::vector<Node> both;
  for (const bool of_values : {false, true}) {
    if (of_values && !large) break;
    std::optional<Node> table = table_of_rows(sheet, frame, of_values, high);
    if (!table) continue;
    if (of_values) table->rank = 4;
    both.push_back(std::move(*table));
  }
  return Sheet::column("tables", 8, std::move(both));
}

Node added_scores(Sheet& sheet, const Shared& frame, Span high) {
  const auto input = distance_scores_input(frame->context());
  if (!input) return Sheet::column("no scores", 0, {});
  const auto point = [frame, values = input->values](std::int64_t query, std::int64_t key, bool) {
    light_pair(*frame, query, key);
    say_at_mouse(frame->scene, fill(tr("query at {}, key at {}: {}"),
                                    {std::to_string(query), std::to_string(key), short_number(values.at({query, key}))}));
  };
  return map_of(sheet, {.id = "scores", .input = *input, .hovered = point, .least_legend = 2 * kLeastLegend + 8},
                {240, 400, kAny}, high);
}

}  // namespace

sheet::Node relative_picture(Sheet& sheet, const Shared& frame, const std::string& which, bool large) {
  const Span high = large ? high_of(true) : Span{170, 300, kAny};
  if (which == "distances") return distances(sheet, frame, high);
  if (!frame->context().trace) return computing(sheet, which);
  if (!chosen(frame->context()).site)
    return words_of(sheet, which, tr("This attention has no relative positions: they are in self-attention alone."), 14,
                    sheet.scene.pen.theme.secondary);
  return which == "rows" ? tables_of_rows(sheet, frame, large) : added_scores(sheet, frame, high);
}

figures::Figure relative_figure(const Context& context, const std::string& which, float width, float height) {
  const auto plain = [&](std::optional<figures::HeatmapInput> input, float box) {
    if (!input) return figures::Figure();
    input->hot_row = input->hot_column = -1;
    return figures::heatmap(*input, width, box, context.theme, context.measure);
  };
  if (which == "distances") return plain(distances_input(context), height);
  if (which == "scores") return plain(distance_scores_input(context), height);
  if (!context.trace || !chosen(context).site) return {};
  return figures::stacked(
      {plain(distance_rows_input(context, false), height / 2 - 8), plain(distance_rows_input(context, true), height / 2 - 8)}, 8,
      0);
}

ValueAddress relative_address(const Context& context, std::int64_t query, std::int64_t key) {
  if (!context.trace || context.computing) return {};
  const AttentionChoice choice = chosen(context);
  if (!choice.site || query >= choice.site->queries || key >= choice.site->keys) return {};
  return {choice.site->bias, {choice.batch, choice.head, query, key}};
}

}  // namespace headlight::views::placed
