#include "app/panels/positions/positions_relative.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "app/figures/base/stack.h"
#include "app/gl/figure_view.h"
#include "app/panels/positions/positions_data.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/figure_menu.h"
#include "engine/operations/relative_rows.h"

namespace headlight::views {
namespace {

constexpr float kLeastLegends = 380;  // height of two tables with their legends

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

ValueAddress score_address(const Context& context, std::int64_t query, std::int64_t key) {
  if (!context.trace || context.computing) return {};
  const AttentionChoice choice = chosen(context);
  if (!choice.site || query >= choice.site->queries || key >= choice.site->keys) return {};
  return {choice.site->bias, {choice.batch, choice.head, query, key}};
}

void draw_map(Context& context, const figures::HeatmapInput& input, const char* id, float width, float height,
              const std::function<void(std::int64_t, std::int64_t)>& hovered) {
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, id);
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.column >= 0 &&
      hit.row < input.values.dim(0) && hit.column < input.values.dim(1))
    hovered(hit.row, hit.column);
  figure_menu(context, (std::string(id) + " menu").c_str(), hit, [&] {
    figures::HeatmapInput plain = input;
    plain.hot_row = plain.hot_column = -1;
    return figures::heatmap(plain, 1000, 640, context.theme, context.measure);
  });
}

void draw_distances(Context& context, const ui::Look& look, float width, float height) {
  const figures::HeatmapInput input = distances_input(context);
  draw_map(context, input, "relative distances", width, height, [&](std::int64_t query, std::int64_t key) {
    context.hover.next.row = query;
    context.hover.next.column = key;
    context.hover.next.value = score_address(context, query, key);
    const std::int64_t clip = context.document.relative_clip;
    ui::tooltip(look, fill(tr("query at {}, key at {}: {} apart, row {} of a^K and a^V"),
                           {std::to_string(query), std::to_string(key), signed_number(key - query),
                            signed_number(operations::relative_row(query, key, clip) - clip)}));
  });
}

void draw_rows(Context& context, const ui::Look& look, float width, float height) {
  const bool small = height < kLeastLegends;  // beside the large picture: the first table alone
  for (const bool of_values : {false, true}) {
    if (small && of_values) return;
    auto input = distance_rows_input(context, of_values);
    if (!input) return;
    if (small) {
      input->legend = false;
      input->note.clear();
    }
    draw_map(context, *input, of_values ? "relative values" : "relative keys", width, small ? height : (height - 8) / 2,
             [&](std::int64_t row, std::int64_t column) {
               const AttentionChoice choice = chosen(context);
               const std::string& name = of_values ? choice.site->relative_values : choice.site->relative_keys;
               if (!context.computing) context.hover.next.value = {name, {row, column}};
               ui::tooltip(look, fill(tr("distance {}, dimension {}: {}"),
                                      {input->row_labels[static_cast<std::size_t>(row)], std::to_string(column),
                                       short_number(input->values.at({row, column}))}));
             });
  }
}

void draw_scores(Context& context, const ui::Look& look, float width, float height) {
  auto input = distance_scores_input(context);
  if (!input) return;
  if (height < kLeastLegends) {
    input->legend = false;
    input->note.clear();
  }
  draw_map(context, *input, "relative scores", width, height, [&](std::int64_t query, std::int64_t key) {
    context.hover.next.row = query;
    context.hover.next.column = key;
    context.hover.next.value = score_address(context, query, key);
    ui::tooltip(look, fill(tr("query at {}, key at {}: {}"),
                           {std::to_string(query), std::to_string(key), short_number(input->values.at({query, key}))}));
  });
}

}  // namespace

bool has_relative_positions(const Document& document) {
  const positions::Entry* const entry = positions::registry().find(document.position);
  return entry && entry->where == positions::Where::relative;
}

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

void draw_relative(Context& context, const ui::Look& look, const std::string& which, float width, float height) {
  ImGui::BeginGroup();
  if (which == "distances")
    draw_distances(context, look, width, height);
  else if (!context.trace)
    ui::words(look, tr("computing …"), look.theme.secondary);
  else if (!chosen(context).site)
    ui::words(look, tr("This attention has no relative positions: they are in self-attention alone."), look.theme.secondary);
  else if (which == "rows")
    draw_rows(context, look, width, height);
  else
    draw_scores(context, look, width, height);
  ImGui::EndGroup();
  name_part(context, ("positions:" + which).c_str());
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

void choose_clip(Context& context, const ui::Look& look) {
  const std::string text = fill(tr("clip k = {}"), {std::to_string(context.document.relative_clip)});
  next_on_line(look, context.measure.width(text, 14, figures::Font::words) + 70, 28);
  const std::int64_t to = stepper(look, "clip", text, context.document.relative_clip, 1025,
                                  tr("Distances beyond k share the row of the farthest: the tables have 2 k + 1 rows"));
  name_part(context, "positions:clip");
  if (to < 0) return;
  Document document = context.document;
  document.relative_clip = to;
  context.edit(std::move(document));
}

ValueAddress relative_number(const Context& context) {
  if (!context.trace) return {};
  const AttentionChoice choice = chosen(context);
  if (!choice.site || choice.site->queries == 0) return {};
  return score_address(context, choice.site->queries - 1, 0);
}

}  // namespace headlight::views
