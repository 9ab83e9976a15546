// The Long texts view's pictures for files.
#include <algorithm>
#include <vector>

#include "app/figures/base/stack.h"
#include "app/text/language.h"
#include "app/views/long_texts/parts.h"

namespace headlight::views::long_range {
namespace {

using Of = figures::LongCostsInput::Of;

LongState state_for_file(const Context& context) {
  const AttentionChoice choice = context.trace ? choose_attention(context) : AttentionChoice();
  LongState none;
  none.words = "-";
  return choice.site ? long_state(context, choice) : none;
}

}  // namespace

figures::Figure parts_figure(const Context& context, const LongState& state, float width, float height) {
  std::vector<figures::Figure> parts;
  if (state.entry().id == "ring") {
    const State& own = context.view.own.of<State>();
    const std::int64_t devices = long_texts::whole(long_values(own, state.entry()), "devices");
    if (devices > 0 && height >= 200)
      parts.push_back(figures::ring_steps(devices, own.step % devices, std::min({width, height * 0.58f, 300.0f}), context.theme,
                                          context.measure));
  }
  const float left = height - (parts.empty() ? 0 : parts.front().height + 8);
  parts.push_back(figures::part_rows(long_part_rows(context, state), width, left, context.theme, context.measure));
  return figures::stacked(parts, 8, 0);
}

figures::Figure figure_of_pattern(const Context& context, float width, float) {
  const LongState state = state_for_file(context);
  if (!state.words.empty() || !state.result().shown) return {};
  const float wide = std::max(width, 300.0f) - 32;
  figures::HeatmapInput weights = long_map_input(context, state, false), apart = long_map_input(context, state, true);
  weights.title = std::string(tr(state.entry().label.c_str())) + ": " + weights.title;
  for (figures::HeatmapInput* input : {&weights, &apart}) input->hot_row = input->hot_column = -1;
  figures::Figure figure = figures::stacked(
      {figures::heatmap(weights, wide, wide, context.theme, context.measure),
       figures::heatmap(apart, wide, wide, context.theme, context.measure), long_legend(context, state, true, wide)},
      14, 16);
  figure.title = weights.title;
  return figure;
}

figures::Figure figure_of_costs(const Context& context, float width, float height, Of of) {
  const LongState state = state_for_file(context);
  if (!state.words.empty()) return {};
  const LongCosts costs = long_costs(context, state, of, kLongLengths.size());
  if (costs.done == 0) return {};
  return figures::stacked({figures::long_costs(costs.input, std::max(width, 620.0f) - 32, std::clamp(height, 380.0f, 620.0f),
                                               context.theme, context.measure)},
                          0, 16);
}

figures::Figure figure_of_all(const Context& context, float width, float) {
  const LongState state = state_for_file(context);
  if (!state.words.empty()) return {};
  figures::LongTilesInput tiles = long_tiles_input(context, state);
  const float wide = std::max(width, 1100.0f) - 32;
  tiles.map = 110;
  figures::Figure figure =
      figures::stacked({figures::long_tiles(tiles, wide, context.theme, context.measure),
                        figures::long_costs(long_costs(context, state, Of::operations, kLongLengths.size()).input, wide, 460,
                                            context.theme, context.measure),
                        figures::speech_table(wide, context.theme, context.measure)},
                       20, 16);
  figure.title = tiles.title;
  return figure;
}

}  // namespace headlight::views::long_range
