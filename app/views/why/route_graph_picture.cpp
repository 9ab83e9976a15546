#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/why/pictures.h"

namespace headlight::figures {
namespace {

constexpr float kRouteAxis = 92, kRouteTop = 44, kScale = 20, kLabels = 46, kRouteLabel = 14, kRouteTick = 13, kLeastLabel = 12;

// Where columns and levels lie. Of a model that reads two texts the source's stack stands below the one that writes.
struct RoutePlane {
  const RouteGraphInput& input;
  Box box;     // of the stack that predicts
  Box source;  // of the source's; without height where there is none

  struct Stack {
    Box box;
    std::int64_t first = 0, columns = 0, levels = 0;
    float pitch() const { return box.w / static_cast<float>(std::max<std::int64_t>(1, columns - 1)); }
    float x(std::int64_t column) const {
      return columns < 2 ? box.x + box.w / 2 : box.x + pitch() * static_cast<float>(column - first);
    }
    float y(std::int64_t level) const {
      return box.y + box.h * (1 - static_cast<float>(level) / static_cast<float>(std::max<std::int64_t>(1, levels)));
    }
  };
  Stack upper() const {
    return {box, input.sources, static_cast<std::int64_t>(input.labels.size()) - input.sources, input.levels};
  }
  Stack lower() const { return {source, 0, input.sources, input.source_levels}; }
  Stack of(std::int64_t column) const { return column < input.sources ? lower() : upper(); }
  std::vector<Stack> stacks() const { return input.sources > 0 ? std::vector{upper(), lower()} : std::vector{upper()}; }
  float x(std::int64_t column) const { return of(column).x(column); }
  Point at(std::int64_t column, std::int64_t level) const {
    const Stack stack = of(column);
    return {stack.x(column), stack.y(level)};
  }
};

Color hue_of(std::int64_t column, const Theme& theme) { return theme.hues[static_cast<std::size_t>(column) % theme.hues.size()]; }

Color effect_color(float effect, const Theme& theme) {
  const float strength = std::clamp(std::abs(effect), 0.0f, 1.0f);
  if (strength < 0.01f) return with_alpha(theme.secondary, 0.3f);
  return with_alpha(effect < 0 ? theme.signed_low : theme.signed_high, 0.25f + 0.75f * std::sqrt(strength));
}

// What the colours mean, on the side where the answer does not stand.
void draw_effect_scale(const RoutePlane& plane, const Composer& pen) {
  constexpr int kSteps = 9;
  constexpr float kStep = 16, y = 12;
  const std::string all = "100 %", none = "-100 %";
  const float before = pen.measure.width(none, kRouteTick, Font::mono) + 6,
              after = pen.measure.width(all, kRouteTick, Font::mono) + 6;
  const bool answer_left =
      !plane.input.vectors.empty() && plane.x(plane.input.vectors.front().column) < plane.box.x + plane.box.w / 2;
  const float x = before + (answer_left ? plane.box.x + plane.box.w - before - kStep * kSteps - after : plane.box.x);
  constexpr int kSide = kSteps / 2;
  for (int i = 0; i < kSteps; ++i) {
    const int from_none = i - kSide;
    pen.box({x + kStep * static_cast<float>(i), y - 6, kStep, 12},
            effect_color(static_cast<float>(from_none) / static_cast<float>(kSide), pen.theme));
  }
  pen.text(x - 6, y, none, kRouteTick, Font::mono, pen.theme.secondary, Align::end);
  pen.text(x + kStep * kSteps + 6, y, all, kRouteTick, Font::mono, pen.theme.secondary);
}

void draw_levels(const RoutePlane::Stack& stack, const Composer& pen) {
  const Theme& theme = pen.theme;
  const float pitch = stack.box.h / static_cast<float>(std::max<std::int64_t>(1, stack.levels));
  std::int64_t step = 1;
  for (const std::int64_t wider : {2, 5, 10, 20, 50})
    if (pitch * static_cast<float>(step) < 22) step = wider;
  for (std::int64_t level = 0; level <= stack.levels; level += step) {
    const float y = stack.y(level);
    pen.line({kRouteAxis - 4, y}, {stack.box.x + stack.box.w + 8, y}, with_alpha(theme.line, 0.8f), 1);
    pen.text(kRouteAxis - 12, y, level == 0 ? tr("embedding") : std::to_string(level), kRouteTick,
             level == 0 ? Font::words : Font::mono, theme.secondary, Align::end, kRouteAxis - 14, kAxisTag);
  }
}

// Tokens below their columns, on two lines where they would touch.
void draw_labels(const RoutePlane& plane, const RoutePlane::Stack& stack, const Composer& pen) {
  const float pitch = stack.pitch(), y = stack.box.y + stack.box.h + 18;
  const auto label = [&](std::int64_t column) -> const std::string& {
    return plane.input.labels[static_cast<std::size_t>(stack.first + column)];
  };
  const auto fits = [&](float size, float room) {
    for (std::int64_t i = 0; i < stack.columns; ++i)
      if (pen.measure.width(label(i), size, Font::mono) + 8 > room) return false;
    return true;
  };
  const bool level = fits(kRouteLabel, pitch);
  const float size = level || fits(kRouteLabel, 2 * pitch) ? kRouteLabel : kLeastLabel;
  const std::int64_t asked = plane.input.vectors.empty() ? -1 : plane.input.vectors.front().column - stack.first;
  // Of very many tokens every n-th is named, on one line, and always that of the asked vector.
  const bool every = level || 2 * pitch >= 30;
  const auto shown = ticks(0, stack.columns, pitch, every ? 0.0f : 52.0f, every ? -1 : asked);
  const float room = every ? (level ? pitch : 2 * pitch) : 52.0f;
  pen.figure.hidden_labels += stack.columns - static_cast<std::int64_t>(shown.size());
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const std::int64_t column = shown[i];
    const bool low = every && !level && i % 2 == 1;
    pen.text(stack.x(stack.first + column), y + (low ? 17.0f : 0.0f), label(column), size, Font::mono,
             column == asked ? pen.theme.selected : pen.theme.text, Align::middle, std::max(room - 4, 24.0f),
             {Tag::column, stack.first + column, 0, Part::axis});
  }
}

// While the picture is built up. The source's levels come first.
bool is_shown(const RouteGraphInput& input, std::int64_t column, std::int64_t level) {
  return input.shown_level < 0 || level + (column < input.sources ? 0 : input.source_levels) <= input.shown_level;
}

void draw_verticals(const RoutePlane& plane, const Composer& pen) {
  for (const RouteGraphInput::Vector& one : plane.input.vectors) {
    if (!one.goes_down || !is_shown(plane.input, one.column, one.level)) continue;
    const float wide = 1.5f + 3.5f * std::clamp(one.kept, 0.0f, 1.0f);
    const Point top = plane.at(one.column, one.level), bottom = plane.at(one.column, one.level - 1);
    pen.box({top.x - wide / 2, top.y, wide, bottom.y - top.y}, with_alpha(pen.theme.secondary, 0.55f));
  }
}

void draw_edge(const RoutePlane& plane, std::size_t index, const Composer& pen) {
  const RouteGraphInput::Edge& edge = plane.input.edges[index];
  if (!is_shown(plane.input, edge.to_column, edge.to_level)) return;
  const auto at = static_cast<std::int64_t>(index);
  const bool lit = at == plane.input.hot_edge || at == plane.input.chosen_edge;
  const Point from = plane.at(edge.from_column, edge.from_level), to = plane.at(edge.to_column, edge.to_level);
  const float bend = (to.x - from.x) * 0.45f;
  const float wide = std::clamp(1.2f + 22 * edge.share, 1.2f, 11.0f) + (lit ? 1.5f : 0.0f);
  pen.figure.add(Curve{from,
                       {from.x + bend, from.y},
                       {to.x - bend, to.y},
                       to,
                       lit                     ? pen.theme.selected
                       : plane.input.by_effect ? effect_color(edge.effect, pen.theme)
                                               : with_alpha(hue_of(edge.from_column, pen.theme), 0.85f),
                       wide,
                       {Tag::link, at}});
}

void draw_vectors(const RoutePlane& plane, const Composer& pen) {
  const float close = (plane.box.h + plane.source.h) /
                      static_cast<float>(std::max<std::int64_t>(1, plane.input.levels + plane.input.source_levels));
  const float radius = std::clamp(close / 5, 2.0f, 4.0f);
  for (std::size_t i = 0; i < plane.input.vectors.size(); ++i) {
    const RouteGraphInput::Vector& one = plane.input.vectors[i];
    if (!is_shown(plane.input, one.column, one.level)) continue;
    const auto at = static_cast<std::int64_t>(i);
    const bool lit = at == plane.input.hot_vector || at == plane.input.chosen_vector;
    const Tag tag{Tag::token, at};
    if (lit || i == 0) pen.figure.add(Disc{plane.at(one.column, one.level), radius + 3.5f, pen.theme.selected, tag});
    if (!plane.input.by_effect) {
      pen.figure.add(Disc{plane.at(one.column, one.level), radius, pen.theme.text, tag});
      continue;
    }
    pen.figure.add(Disc{plane.at(one.column, one.level), radius + 1.5f, pen.theme.background, tag});
    pen.figure.add(Disc{plane.at(one.column, one.level), radius + 1.5f, effect_color(one.effect, pen.theme), tag});
  }
}

void draw_answer(const RoutePlane& plane, const Composer& pen) {
  if (plane.input.answer.empty() || plane.input.vectors.empty()) return;
  const std::int64_t column = plane.input.vectors.front().column;
  if (!is_shown(plane.input, column, plane.input.levels)) return;
  const Point at = plane.at(column, plane.input.levels);
  const float wide = pen.measure.width(plane.input.answer, kRouteLabel, Font::mono) + 18;
  const float x = std::clamp(at.x - wide / 2, 0.0f, std::max(0.0f, pen.figure.width - wide - 1));
  pen.box({x, at.y - 38, wide, 26}, pen.theme.raised, pen.theme.selected, 1, 6);
  pen.text(x + wide / 2, at.y - 25, plane.input.answer, kRouteLabel, Font::mono, pen.theme.selected, Align::middle, wide - 8);
}

void add_route_data(const RouteGraphInput& input, Figure& figure) {
  std::vector<float> numbers;
  for (const RouteGraphInput::Edge& edge : input.edges)
    for (const float one : {static_cast<float>(edge.from_column), static_cast<float>(edge.from_level),
                            static_cast<float>(edge.to_column), static_cast<float>(edge.to_level), edge.share})
      numbers.push_back(one);
  figure.data.push_back({"edges",
                         Tensor::of(numbers, {static_cast<std::int64_t>(input.edges.size()), 5}),
                         {"edge", "field"},
                         {{}, {"from token", "from layer", "to token", "to layer", "share"}}});
  if (!input.by_effect) return;
  std::vector<float> effects;
  for (const RouteGraphInput::Edge& edge : input.edges) effects.push_back(edge.effect);
  figure.data.push_back({"effects", Tensor::of(effects, {static_cast<std::int64_t>(effects.size())}), {"edge"}, {}});
}

RoutePlane route_plane(const RouteGraphInput& input, float width, float height, float above) {
  const float x = kRouteAxis + 14, w = std::max(20.0f, width - kRouteAxis - 54), h = std::max(40.0f, height - above - kLabels);
  if (input.sources == 0) return {input, {x, above, w, h}, {}};
  const float both = std::max(40.0f, h - kLabels);
  const float levels = static_cast<float>(std::max<std::int64_t>(1, input.levels + input.source_levels));
  const float upper = both * static_cast<float>(input.levels) / levels;
  return {input, {x, above, w, upper}, {x, above + upper + kLabels, w, both - upper}};
}

}  // namespace

Figure route_graph(const RouteGraphInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  const float above = kRouteTop + (input.by_effect ? kScale : 0.0f);  // the scale of effects stands above the answer
  const RoutePlane plane = route_plane(input, width, height, above);
  pen.text(kRouteAxis - 12, plane.box.y - 22, tr("layer"), kRouteTick, Font::words, theme.secondary, Align::end, 0, kAxisTag);
  for (const RoutePlane::Stack& stack : plane.stacks()) draw_levels(stack, pen);
  if (input.verticals) draw_verticals(plane, pen);
  // The widest lie below, so that thin ones stay visible.
  for (std::size_t i = 0; i < input.edges.size(); ++i)
    if (static_cast<std::int64_t>(i) != input.chosen_edge && static_cast<std::int64_t>(i) != input.hot_edge)
      draw_edge(plane, i, pen);
  for (const std::int64_t lit : {input.chosen_edge, input.hot_edge})
    if (lit >= 0 && lit < static_cast<std::int64_t>(input.edges.size())) draw_edge(plane, static_cast<std::size_t>(lit), pen);
  draw_vectors(plane, pen);
  draw_answer(plane, pen);
  if (input.by_effect) draw_effect_scale(plane, pen);
  for (const RoutePlane::Stack& stack : plane.stacks()) draw_labels(plane, stack, pen);
  add_route_data(input, figure);
  return figure;
}

}  // namespace headlight::figures
