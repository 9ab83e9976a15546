#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/why/pictures.h"

namespace headlight::figures {

Figure composition_graph(const CompositionInput& input, float width, float height, const Theme& theme,
                         const TextMeasure& measure) {
  constexpr float kLeft = 64, kAbove = 30, kBelow = 24, kTickSize = 13;
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  const Box box{kLeft, kAbove, std::max(20.0f, width - kLeft - 24), std::max(40.0f, height - kAbove - kBelow)};
  const auto x = [&](std::int64_t layer) {
    return input.layers < 2 ? box.x + box.w / 2
                            : box.x + box.w * static_cast<float>(layer) / static_cast<float>(input.layers - 1);
  };
  const auto y = [&](std::int64_t head) {
    return input.heads < 2 ? box.y + box.h / 2 : box.y + box.h * static_cast<float>(head) / static_cast<float>(input.heads - 1);
  };
  const float across = box.w / static_cast<float>(std::max<std::int64_t>(1, input.layers - 1)),
              down = box.h / static_cast<float>(std::max<std::int64_t>(1, input.heads - 1));
  pen.text(2, 12, tr("head"), kTickSize, Font::words, theme.secondary, Align::start, 0, kAxisTag);
  pen.text(2, height - 10, tr("layer"), kTickSize, Font::words, theme.secondary, Align::start, 0, kAxisTag);
  for (const std::int64_t layer : ticks(0, input.layers, across, 26, -1))
    pen.text(x(layer), height - 10, std::to_string(layer), kTickSize, Font::mono, theme.secondary, Align::middle, 0, kAxisTag);
  for (const std::int64_t head : ticks(0, input.heads, down, 16, -1))
    pen.text(kLeft - 22, y(head), std::to_string(head), kTickSize, Font::mono, theme.secondary, Align::end, 0, kAxisTag);
  const double most = input.lines.empty() ? 1 : std::max(1e-12, input.lines.front().strength - input.chance);
  for (std::size_t i = input.lines.size(); i-- > 0;) {
    const CompositionInput::Line& line = input.lines[i];
    const auto at = static_cast<std::int64_t>(i);
    const Point from{x(line.from_layer), y(line.from_head)}, to{x(line.to_layer), y(line.to_head)};
    const float bend = (to.x - from.x) * 0.4f;
    const auto share = static_cast<float>(std::clamp((line.strength - input.chance) / most, 0.0, 1.0));
    const bool lit = at == input.hot;
    const Color hue = theme.hues[static_cast<std::size_t>(line.from_head) % theme.hues.size()];
    figure.add(Curve{from,
                     {from.x + bend, from.y},
                     {to.x - bend, to.y},
                     to,
                     lit ? theme.selected : with_alpha(hue, 0.35f + 0.6f * share),
                     1 + 7 * share + (lit ? 1.5f : 0.0f),
                     {Tag::link, at}});
  }
  const float radius = std::clamp(std::min(across, down) / 5, 2.0f, 5.0f);
  for (std::int64_t layer = 0; layer < input.layers; ++layer)
    for (std::int64_t head = 0; head < input.heads; ++head) figure.add(Disc{{x(layer), y(head)}, radius, theme.secondary, {}});
  std::vector<double> numbers;
  for (const CompositionInput::Line& line : input.lines) {
    for (const std::int64_t one : {line.from_layer, line.from_head, line.to_layer, line.to_head})
      numbers.push_back(static_cast<double>(one));
    numbers.push_back(line.strength);
  }
  figure.data.push_back({"lines",
                         Tensor::of(numbers, {static_cast<std::int64_t>(input.lines.size()), 5}),
                         {"line", "field"},
                         {{}, {"from layer", "from head", "to layer", "to head", "strength"}}});
  return figure;
}

}  // namespace headlight::figures
