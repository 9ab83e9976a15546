// The Recurrence view's pictures for files.
#include <algorithm>
#include <functional>
#include <iterator>
#include <vector>

#include "app/figures/base/compose.h"
#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/views/recurrence/parts.h"

namespace headlight::views::recurrent {
namespace {

constexpr float kStateMap = 300;
constexpr std::int64_t kNamedColumns = 40;

figures::Figure chart_for_file(const Context& context, float width, float height,
                               const std::function<figures::CurvesInput(const Context&, const Reading&)>& make) {
  const Reading reading = reading_of(context);
  if (!reading.net) return {};
  figures::CurvesInput input = make(context, reading);
  input.hot = -1;
  return figures::curves(input, std::max(width, 420.0f), std::clamp(height, 300.0f, 560.0f), context.theme, context.measure);
}

figures::HeatmapInput map_of(const Reading& reading, const figures::UnfoldedInput::Band& band) {
  figures::HeatmapInput map;
  map.values = band.values;
  map.low = band.low;
  map.high = band.high;
  map.colormap = band.colormap;
  map.key = band.key;
  if (reading.text.count() <= kNamedColumns) map.column_labels = reading.text.labels;
  map.row_axis = reading.kind().id == "ssm" ? tr("channel, state by state") : tr("unit");
  map.column_axis = tr("token");
  map.row_name = "unit";
  map.column_name = "token";
  map.data_name = band.id;
  map.quantity = band.label;
  map.title = band.id + ": " + band.label;
  map.fit = figures::CellFit::box;
  return map;
}

}  // namespace

figures::Figure unfolded_for_file(const Context& context, const Reading& reading, float width, float height) {
  const auto fit = static_cast<std::int64_t>((width - figures::kUnfoldedNames) / kNarrowColumn);
  const std::int64_t count = std::clamp<std::int64_t>(fit, 1, reading.text.count());
  const figures::UnfoldedInput input = unfolded_input(context, reading, context.view.own.of<State>().first, count);
  return figures::framed(figures::unfolded_network(input, width, height, context.theme, context.measure), input.title, 16,
                         context.theme);
}

figures::Figure figure_of_network(const Context& context, float width, float height) {
  const Reading reading = reading_of(context);
  if (!reading.net) return {};
  return unfolded_for_file(context, reading, std::max(width, 700.0f) - 32, std::clamp(height, 520.0f, 900.0f));
}

// Every state and gate as a map of its own: units in the network's order, tokens as columns.
figures::Figure figure_of_states(const Context& context, float width, float) {
  const Reading reading = reading_of(context);
  if (!reading.net) return {};
  const figures::UnfoldedInput input = unfolded_input(context, reading, 0, reading.text.count());
  const float wide = std::max(width, 700.0f) - 32;
  std::vector<figures::Figure> maps;
  for (const figures::UnfoldedInput::Band& band : input.bands) {
    figures::HeatmapInput map = map_of(reading, band);
    if (&band == &input.bands.front()) map.note = input.order_words;
    maps.push_back(figures::heatmap(map, wide, kStateMap, context.theme, context.measure));
  }
  figures::Figure figure = figures::stacked(maps, 12, 16);
  figure.title = input.title;
  return figure;
}

figures::Figure figure_of_reach(const Context& context, float width, float height) {
  return chart_for_file(context, width, height, [](const Context& c, const Reading& r) { return reach_input(c, r); });
}
figures::Figure figure_of_gradients(const Context& context, float width, float height) {
  return chart_for_file(context, width, height, gradient_input);
}
figures::Figure figure_of_learning(const Context& context, float width, float height) {
  return chart_for_file(context, width, height, [](const Context& c, const Reading& r) { return learning_input(c, r); });
}
figures::Figure figure_of_times(const Context& context, float width, float height) {
  return chart_for_file(context, width, height, [](const Context& c, const Reading& r) {
    ScanTimes times = scan_times(c, r, std::size(kScanLengths));
    if (!times.words.empty()) times.input.note += "; " + times.words;
    return times.input;
  });
}

figures::Figure figure_of_matrix(const Context& context, float width, float) {
  const Reading reading = reading_of(context);
  if (!reading.net) return {};
  const UnrolledState unrolled = unrolled_state(context, reading);
  if (!unrolled.matrix) return {};
  figures::HeatmapInput input = unrolled_input(context, reading, unrolled);
  input.hot_row = input.hot_column = -1;
  input.legend = true;
  return figures::heatmap(input, std::max(width, 400.0f), std::max(width, 400.0f), context.theme, context.measure);
}

figures::Figure figure_of_forms(const Context& context, float width, float) {
  return figures::framed(figures::network_forms(form_list(), std::max(width, 480.0f) - 32, 0, context.theme, context.measure),
                         tr("Forms of recurrent networks"), 16, context.theme);
}

figures::Figure figure_of_both(const Context& context, float width, float height) {
  return figures::stacked(
      {figure_of_network(context, std::max(width, 1000.0f), 760), figure_of_reach(context, std::max(width, 1000.0f), height)}, 8,
      0);
}

}  // namespace headlight::views::recurrent
