#include "app/figures/embeddings/word_plane.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/free_labels.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kPlaneSmall = 13, kPlaneTitle = 17, kPlaneWord = 15, kPlaneDot = 4.5f;

void draw_plane_arrow(const Composer& pen, Point from, Point to, Color color) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length < 16) return;
  const float ux = dx / length, uy = dy / length;
  // From dot to dot, without covering them.
  const Point start{from.x + 7 * ux, from.y + 7 * uy}, end{to.x - 7 * ux, to.y - 7 * uy}, base{end.x - 9 * ux, end.y - 9 * uy};
  pen.line(start, base, color, 2);
  Polygon tip;
  tip.points = {end, {base.x - uy * 4, base.y + ux * 4}, {base.x + uy * 4, base.y - ux * 4}};
  tip.fill = color;
  pen.figure.add(std::move(tip));
}

// The way of a word, older parts paler.
void draw_way(const WordPlaneInput& input, std::size_t word, const Plane& plane, Color color, const Composer& pen) {
  for (std::size_t k = 1; k <= input.shown; ++k) {
    const float strength = 0.08f + 0.4f * static_cast<float>(k) / static_cast<float>(input.shown);
    pen.line(plane.at(input.points[k - 1][word]), plane.at(input.points[k][word]), with_alpha(color, strength), 1.25f);
  }
}

void add_plane_data(const WordPlaneInput& input, Figure& figure) {
  std::vector<float> numbers;
  for (std::size_t k = 0; k <= input.shown; ++k)
    for (const auto& point : input.points[k])
      for (const double value : point) numbers.push_back(static_cast<float>(value));
  const std::vector<std::int64_t> shape = {static_cast<std::int64_t>(input.shown + 1),
                                           static_cast<std::int64_t>(input.words.size()), 2};
  figure.data.push_back({"paths", Tensor::of(numbers, shape), {"checkpoint", "word", "component"}, {{}, input.words, {}}});
}

}  // namespace

Figure word_plane(const WordPlaneInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.box({0.5f, 0.5f, width - 1, height - 1}, theme.panel, theme.line, 1, 8);
  float top = 10;
  if (!input.title.empty()) {
    pen.text(14, 20, input.title, kPlaneTitle, Font::words_bold, theme.text, Align::start, width - 28);
    top = 34;
  }
  const std::string percent = std::to_string(static_cast<int>(std::lround(100 * input.share)));
  const std::string axes = fill(tr("equal axes; the plane has {} % of these words' variance"), {percent}),
                    brief = fill(tr("{} % of the variance"), {percent});
  const std::string note = first_that_fits({input.note.empty() ? axes : input.note + "   " + axes,
                                            input.note.empty() ? brief : input.note + "   " + brief, input.note, brief},
                                           width - 28, kPlaneSmall, Font::words, measure);
  pen.text(14, height - 15, note, kPlaneSmall, Font::words, theme.secondary);
  if (input.words.empty() || input.shown >= input.points.size()) return figure;
  const Box room{44, top + 20, width - 88, std::max(20.0f, height - top - 66)};
  const Plane plane = plane_of(input.points, room);
  FreeLabels labels(pen, {8, top, width - 16, height - top - 28});
  const auto hue = [&](std::size_t word) {
    return static_cast<std::int64_t>(word) == input.selected ? theme.selected : theme.info;
  };
  const auto& now = input.points[input.shown];
  for (std::size_t i = 0; i < input.words.size(); ++i) draw_way(input, i, plane, hue(i), pen);
  for (const auto& [from, to] : input.arrows)
    draw_plane_arrow(pen, plane.at(now[static_cast<std::size_t>(from)]), plane.at(now[static_cast<std::size_t>(to)]),
                     theme.selected);
  for (std::size_t i = 0; i < input.words.size(); ++i) {
    const Point at = plane.at(now[i]);
    const Tag tag{Tag::row, static_cast<std::int64_t>(i), 0};
    figure.add(Disc{at, 14, with_alpha(theme.panel, 0), tag});  // easier to hit
    figure.add(Disc{at, kPlaneDot, hue(i), tag});
    labels.keep_free({at.x - 6, at.y - 6, 12, 12});
  }
  for (std::size_t i = 0; i < input.words.size(); ++i) {
    const Point at = plane.at(now[i]);
    const bool selected = static_cast<std::int64_t>(i) == input.selected;
    const float half = measure.width(input.words[i], kPlaneWord, Font::words) / 2;
    labels.put(input.words[i], kPlaneWord, selected ? Font::words_bold : Font::words, selected ? theme.selected : theme.text,
               {{at.x, at.y - 15}, {at.x, at.y + 15}, {at.x + half + 10, at.y}, {at.x - half - 10, at.y}}, &at);
  }
  add_plane_data(input, figure);
  return figure;
}

}  // namespace headlight::figures
