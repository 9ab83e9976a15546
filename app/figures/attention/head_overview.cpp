// All heads of all layers as small tiles: the map of a model whose thumbnails do not fit beside each other.
#include <algorithm>

#include "app/figures/attention/layouts.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"

namespace headlight::figures {
namespace {

constexpr float kOverviewTick = 12;
constexpr float kWeakest = 0.3f;  // the strength of a role that is just found

}  // namespace

Figure head_overview(const OverviewInput& input, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.background = theme.background;
  if (input.layers < 1 || input.heads < 1) return figure;
  const bool shared = input.key_heads > 0 && input.key_heads < input.heads && input.heads % input.key_heads == 0;
  const std::int64_t group = shared ? input.heads / input.key_heads : input.heads;
  const float tile = input.tile, gap = tile >= 6 ? 2 : 1, between = shared ? std::max(1.0f, tile / 2) : 0;
  const bool numbered = tile >= kNumberedTile;
  const float line = measure.line_height(kOverviewTick, Font::mono);
  const float wide =
      numbered ? measure.width(std::to_string(input.first_layer + input.layers - 1), kOverviewTick, Font::mono) + 6 : 0;
  const float left = 2 + wide, top = numbered && shared ? line + 2 : 2;
  const auto x_of = [&](std::int64_t head) {
    const std::int64_t earlier = head / group;
    return left + static_cast<float>(head) * tile + static_cast<float>(earlier) * between;
  };
  const auto y_of = [&](std::int64_t layer) { return top + static_cast<float>(layer) * tile; };
  const float right = x_of(input.heads - 1) + tile, bottom = y_of(input.layers);
  const auto number = [&](std::int64_t value, Point at, Align align, bool lit) {
    Text t = text_at(std::to_string(value), at, kOverviewTick, Font::mono, lit ? theme.selected : theme.secondary);
    t.horizontal = align;
    figure.add(std::move(t));
  };
  if (numbered)
    for (const std::int64_t i : ticks(0, input.layers, tile, line, input.selected_layer))
      number(input.first_layer + i, {left - 6, y_of(i) + tile / 2}, Align::end, i == input.selected_layer);
  if (numbered && shared)
    for (std::int64_t i = 0; i < input.key_heads; ++i)
      number(i, {(x_of(i * group) + x_of((i + 1) * group - 1) + tile) / 2, line / 2}, Align::middle,
             input.selected_head >= 0 && i == input.selected_head / group);

  for (std::int64_t layer = 0; layer < input.layers; ++layer)
    for (std::int64_t head = 0; head < input.heads; ++head) {
      const auto at = static_cast<std::size_t>(layer * input.heads + head);
      const bool faint = at < input.faint.size() && input.faint[at];
      Rectangle slot;  // also the gap responds to the mouse
      slot.box = {x_of(head), y_of(layer), tile, tile};
      slot.tag = {Tag::thumbnail, layer, head};
      figure.add(slot);
      Rectangle r;
      r.box = {slot.box.x + gap / 2, slot.box.y + gap / 2, tile - gap, tile - gap};
      r.radius = tile >= 10 ? 2 : 0;
      r.fill = theme.raised;
      if (at < input.roles.size() && input.roles[at]) {
        const auto& role = *input.roles[at];
        const float strength = kWeakest + (1 - kWeakest) * static_cast<float>(std::clamp(2 * role.score - 1, 0.0, 1.0));
        r.fill = with_alpha(theme.hues[static_cast<std::size_t>(role.hue) % theme.hues.size()], faint ? 0.15f : strength);
      } else if (tile >= 6) {
        r.stroke = theme.line;
        r.line = 1;
      }
      figure.add(std::move(r));
    }
  const auto outline = [&](Box box, Color color, float width, float radius) {
    Rectangle r;
    r.box = box;
    r.stroke = color;
    r.line = width;
    r.radius = radius;
    figure.add(std::move(r));
  };
  if (input.first >= 0 && input.last >= input.first)
    outline({left - 2, y_of(input.first) - 1, right - left + 4, y_of(input.last + 1) - y_of(input.first) + 2}, theme.secondary, 1,
            4);
  const auto ring = [&](std::int64_t layer, std::int64_t head, float width) {
    if (layer >= 0 && head >= 0 && layer < input.layers && head < input.heads)
      outline({x_of(head) - 1, y_of(layer) - 1, tile + 2, tile + 2}, theme.selected, width, 2);
  };
  if (input.hot_layer != input.selected_layer || input.hot_head != input.selected_head) ring(input.hot_layer, input.hot_head, 1);
  ring(input.selected_layer, input.selected_head, 2);
  figure.width = right + 3;
  figure.height = bottom + 3;
  return figure;
}

}  // namespace headlight::figures
