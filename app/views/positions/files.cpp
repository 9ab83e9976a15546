// The Positions view's pictures for files.
#include "app/figures/base/stack.h"
#include "app/views/positions/data.h"

namespace headlight::views::placed {

figures::Figure figure_of_picture(const Context& context, const std::string& which, float width, float height) {
  const figures::Theme& theme = context.theme;
  const figures::TextMeasure& measure = context.measure;
  if (which == "effect") return effect_figure(context, width, height, true);
  if (has_relative_positions(context.document)) return relative_figure(context, which, width, height);
  if (has_bias(context.document))
    return which == "curves" ? figures::curves(bias_curves_input(context), width, height, theme, measure)
                             : figures::heatmap(bias_input(context), width, height, theme, measure);
  const auto table = position_table(context);
  if (!table) return order_figure(context, width, height);
  if (which == "turning") return turned_figure(context, width, height);
  if (which == "curves") return figures::curves(dims_input(context, *table), width, height, theme, measure);
  if (which == "distance") {
    const auto products = position_products(context);
    if (!products) return {};
    return figures::stacked({figures::heatmap(products_input(context, *products), width, height * 0.62f, theme, measure),
                             figures::curves(distance_input(context, *products), width, height * 0.36f, theme, measure)},
                            8, 0);
  }
  figures::HeatmapInput input = table_input(context, *table);
  input.hot_row = -1;
  return figures::heatmap(input, width, height, theme, measure);
}

}  // namespace headlight::views::placed
