#include "app/panels/positions/positions_bias.h"

#include <algorithm>
#include <cmath>

#include "app/gl/figure_view.h"
#include "app/panels/positions/positions_data.h"
#include "app/text/language.h"
#include "app/ui/style.h"
#include "app/views/base/attention_bar.h"
#include "app/views/base/figure_menu.h"

namespace headlight::views {
namespace {

constexpr std::int64_t kMostHeads = 8;  // that have a curve

std::int64_t shown_head(const Context& context) {
  return std::clamp<std::int64_t>(context.view.head, 0, std::max<std::int64_t>(0, context.document.heads - 1));
}

ValueAddress address_at(const Context& context, std::int64_t query, std::int64_t key) {
  if (!context.trace || context.computing) return {};
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site) return {};
  const Step* step = context.trace->step_at(choice.prefix(), Role::position_bias);
  if (!step || step->shape.size() != 4 || query >= step->shape[2] || key >= step->shape[3]) return {};
  return {step->name, {std::min(choice.batch, step->shape[0] - 1), std::min(choice.head, step->shape[1] - 1), query, key}};
}

}  // namespace

figures::HeatmapInput bias_input(const Context& context) {
  const positions::Entry* entry = position_entry(context.document);
  const std::int64_t n = position_count(context), head = shown_head(context);
  figures::HeatmapInput input;
  positions::BiasPart part;
  part.all_heads = context.document.heads;
  part.head = head;
  part.rows = part.columns = n;
  input.values = positions::bias_of(*entry, part, DType::f32).select(0, 0).select(0, 0).compact();
  double largest = 0;
  for (const float v : input.values.values<float>()) largest = std::max(largest, static_cast<double>(std::abs(v)));
  input.title = fill(tr("What is added to the scores of head {}"), {std::to_string(head)});
  input.row_axis = tr("query");
  input.column_axis = tr("key");
  input.row_name = "query";
  input.column_name = "key";
  input.data_name = "position_bias";
  input.colormap = "signed";
  input.high = static_cast<float>(std::max(largest, 1e-6));
  input.low = -input.high;
  input.range_words = tr("added, symmetric about 0");
  input.note = tr(entry->formula.c_str());
  input.key = std::hash<std::string>()("positions/bias/" + context.document.position + "/" + std::to_string(n) + "/" +
                                       std::to_string(head) + "/" + std::to_string(context.document.heads)) |
              1;
  const std::int64_t row = context.hover.now.row;
  input.hot_row = row >= 0 && row < n ? row : -1;
  return input;
}

figures::CurvesInput bias_curves_input(const Context& context) {
  const positions::Entry* entry = position_entry(context.document);
  const std::int64_t n = position_count(context), heads = std::max<std::int64_t>(1, context.document.heads);
  figures::CurvesInput input;
  input.title = tr("What is added, by distance");
  input.x_axis = tr("distance |i - j|");
  input.y_axis = tr("added");
  const std::int64_t shown = std::min(heads, kMostHeads);
  for (std::int64_t h = 0; h < shown; ++h) {
    figures::CurvesInput::Curve curve;
    curve.label = fill(tr("head {}"), {std::to_string(h)});
    for (std::int64_t apart = 0; apart < n; ++apart) curve.y.push_back(entry->bias(heads, h, n - 1, n - 1 - apart));
    input.curves.push_back(std::move(curve));
  }
  if (shown < heads) input.note = fill(tr("the first {} of {} heads"), {std::to_string(shown), std::to_string(heads)});
  return input;
}

void draw_bias(Context& context, const ui::Look& look, float width, float height) {
  const figures::HeatmapInput input = bias_input(context);
  figures::Figure figure = figures::heatmap(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "table");
  name_part(context, "positions:heatmap");
  if (hit.hovered && hit.tag.kind == figures::Tag::cell_area && hit.row >= 0 && hit.row < input.values.dim(0)) {
    context.hover.next.row = hit.row;
    context.hover.next.value = address_at(context, hit.row, hit.column);
    ui::tooltip(look, fill(tr("query at {}, key at {}: {}"), {std::to_string(hit.row), std::to_string(hit.column),
                                                              short_number(input.values.at({hit.row, hit.column}))}));
  }
  figure_menu(context, "table menu", hit, [&] {
    figures::HeatmapInput plain = input;
    plain.hot_row = -1;
    return figures::heatmap(plain, 1000, 640, context.theme, context.measure);
  });
}

void draw_bias_curves(Context& context, const ui::Look& look, float width, float height) {
  const figures::CurvesInput input = bias_curves_input(context);
  figures::Figure figure = figures::curves(input, width, height, context.theme, context.measure);
  figure.background.a = 0;
  const gl::Hit hit = context.figures.draw(figure, "curves");
  name_part(context, "positions:curves");
  if (const std::int64_t at = hit.hovered ? figures::curve_point_at(figure, input, hit.at) : -1; at >= 0) {
    std::string words = fill(tr("{} apart"), {std::to_string(at)});
    for (const auto& curve : input.curves)
      words += "\n" + curve.label + ": " + short_number(curve.y[static_cast<std::size_t>(at)]);
    ui::tooltip(look, words);
  }
  figure_menu(context, "curves menu", hit, [&] { return figures::curves(input, 900, 480, context.theme, context.measure); });
}

ValueAddress bias_number(const Context& context) {
  if (!context.trace) return {};
  const AttentionChoice choice = choose_attention(context);
  if (!choice.site || choice.site->queries == 0) return {};
  return address_at(context, choice.site->queries - 1, 0);
}

}  // namespace headlight::views
