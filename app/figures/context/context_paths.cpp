#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/free_labels.h"
#include "app/figures/context/context_figures.h"
#include "app/text/language.h"

namespace headlight::figures {
namespace {

constexpr float kPathsSmall = 13, kPathsTick = 12, kPathsName = 14, kDot = 4.5f;

std::string percents(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))); }

void dashed(Point from, Point to, Color color, float width, const Composer& pen) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  for (float at = 0; at < length; at += 8) {
    const float end = std::min(length, at + 4);
    pen.line({from.x + dx * at / length, from.y + dy * at / length}, {from.x + dx * end / length, from.y + dy * end / length},
             color, width);
  }
}

// The sides between the current vectors; of many sentences those of the selected one.
void draw_sides(const PathsInput& input, const Plane& plane, std::size_t stage, const Composer& pen) {
  for (const SentencePair& pair : sentence_pairs(input.paths.size())) {
    const bool lit = pair == input.lit;
    if (!lit && input.paths.size() > 3 && pair.a != input.sentence && pair.b != input.sentence) continue;
    const Point from = plane.at(input.paths[static_cast<std::size_t>(pair.a)][stage]),
                to = plane.at(input.paths[static_cast<std::size_t>(pair.b)][stage]);
    if (std::hypot(to.x - from.x, to.y - from.y) < 1) continue;
    if (lit)
      pen.line(from, to, pen.theme.selected, 2.5f);
    else
      dashed(from, to, with_alpha(pen.theme.selected, 0.75f), 1, pen);
    const Point a{from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3},
        b{to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3};
    pen.figure.add(Curve{from, a, b, to, with_alpha(pen.theme.selected, 0.0f), 7, {Tag::cell, pair.a, pair.b}});
  }
}

// Above or below the point, away from the lines that meet there.
std::vector<Point> beside(Point at, Point before, Point after, float away) {
  float nx = -(after.y - before.y), ny = after.x - before.x;
  const float length = std::hypot(nx, ny);
  if (length > 0) {
    nx /= length;
    ny /= length;
  } else {
    ny = -1;
  }
  if (ny > 0) nx = -nx, ny = -ny;
  return {{at.x + away * nx, at.y + away * ny}, {at.x - away * nx, at.y - away * ny}};
}

void draw_path(const PathsInput& input, std::size_t sentence, const std::vector<Point>& points, const Composer& pen) {
  const Color hue = sentence_color(sentence, pen.theme);
  const bool selected = static_cast<std::int64_t>(sentence) == input.sentence;
  for (std::size_t i = 1; i < points.size(); ++i) pen.line(points[i - 1], points[i], hue, selected ? 2.5f : 1.5f);
  const std::size_t shift = input.from_before_positions ? 1 : 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Tag tag{Tag::bar, static_cast<std::int64_t>(sentence), std::max<std::int64_t>(0, static_cast<std::int64_t>(i - shift))};
    if (static_cast<std::int64_t>(i) == input.layer + static_cast<std::int64_t>(shift)) {
      pen.figure.add(Disc{points[i], 10, pen.theme.selected, tag});
      pen.figure.add(Disc{points[i], 7.5f, pen.theme.panel, tag});
    }
    pen.figure.add(Disc{points[i], kDot, i == 0 ? pen.theme.text : hue, tag});
  }
}

// The number of layers passed at every point; points of one number at one place have it once.
void label_stages(const PathsInput& input, const std::vector<std::vector<Point>>& all, FreeLabels& labels, const Composer& pen) {
  const std::int64_t shift = input.from_before_positions ? 1 : 0;
  std::vector<std::pair<std::int64_t, Point>> done;
  for (const std::vector<Point>& points : all)
    for (std::size_t i = points.size(); i-- > 0;) {
      const auto stands = static_cast<std::int64_t>(i) - shift;
      const Point at = points[i];
      if (std::any_of(done.begin(), done.end(), [&](const auto& one) {
            return one.first == stands && std::hypot(one.second.x - at.x, one.second.y - at.y) < 14;
          }))
        continue;
      done.emplace_back(stands, at);
      const bool current = stands == input.layer, first = i == 0;
      std::string words = std::to_string(stands);
      if (stands < 0) words = tr("before positions");
      if (stands == 0 && first) words += std::string(" ") + tr("embedding");
      const float half = first ? pen.measure.width(words, kPathsTick, Font::words) / 2 : 0;
      std::vector<Point> places =
          beside(at, points[first ? i : i - 1], points[std::min(i + 1, points.size() - 1)], current ? 19.0f : 13.0f);
      if (first) places = {{at.x, at.y + 17}, {at.x + half + 14, at.y}, {at.x - half - 14, at.y}, {at.x, at.y - 17}};
      labels.put(words, kPathsTick, first ? Font::words : Font::mono, current ? pen.theme.selected : pen.theme.secondary, places);
    }
}

void add_data_paths(const PathsInput& input, Figure& figure) {
  std::vector<float> values;
  for (const auto& path : input.paths)
    for (const auto& point : path)
      for (const double v : point) values.push_back(static_cast<float>(v));
  const auto n = static_cast<std::int64_t>(input.paths.size());
  const auto stages = static_cast<std::int64_t>(input.paths.front().size());
  figure.data.push_back({"paths", Tensor::of(values, {n, stages, 2}), {"sentence", "stage", "component"}, {input.names, {}, {}}});
}

}  // namespace

Figure context_paths(const PathsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.box({0.5f, 0.5f, width - 1, height - 1}, theme.panel, theme.line, 1, 8);
  std::string note = fill(tr("component 1: {} % of the variance, component 2: {} %, equal axes"),
                          {percents(input.share[0]), percents(input.share[1])});
  if (measure.width(note, kPathsSmall, Font::words) > width - 30)
    note = fill(tr("{} % and {} % of the variance"), {percents(input.share[0]), percents(input.share[1])});
  pen.text(14, 18, input.title, kPathsName, Font::words_bold, theme.text, Align::start, width - 28);
  pen.text(14, height - 15, note, kPathsSmall, Font::words, theme.secondary, Align::start, width - 28);
  if (input.paths.empty() || input.paths.front().empty()) return figure;
  const Plane plane = plane_of(input.paths, {46, 52, width - 92, std::max(20.0f, height - 104)});
  const std::size_t stage =
      std::min(input.paths.front().size() - 1, static_cast<std::size_t>(input.layer) + (input.from_before_positions ? 1 : 0));
  draw_sides(input, plane, stage, pen);
  FreeLabels labels(pen, {8, 30, width - 16, height - 58});
  std::vector<std::vector<Point>> all;
  for (std::size_t i = 0; i < input.paths.size(); ++i) {
    std::vector<Point>& points = all.emplace_back();
    for (const auto& point : input.paths[i]) points.push_back(plane.at(point));
    draw_path(input, i, points, pen);
    for (const Point& p : points) labels.keep_free({p.x - 5, p.y - 5, 10, 10});
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Point end = all[i].back(), before = all[i].size() > 1 ? all[i][all[i].size() - 2] : end;
    const float far = end.x >= before.x ? 12.0f : -12.0f;
    const float half = std::min(measure.width(input.names[i], kPathsName, Font::words), width / 3) / 2;
    labels.put(input.names[i], kPathsName, Font::words, sentence_color(i, theme),
               {{end.x, end.y - 22}, {end.x, end.y + 22}, {end.x + far + (far > 0 ? half : -half), end.y}}, &end);
  }
  label_stages(input, all, labels, pen);
  add_data_paths(input, figure);
  return figure;
}

}  // namespace headlight::figures
