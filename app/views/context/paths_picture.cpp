#include <algorithm>
#include <cmath>
#include <cstdio>
#include <limits>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/free_labels.h"
#include "app/text/language.h"
#include "app/views/context/pictures.h"

namespace headlight::figures {
namespace {

constexpr float kPathsSmall = 13, kPathsTick = 12, kPathsName = 14, kPathsWhole = 18, kPathDot = 4.5f;

std::string percents(double share) { return std::to_string(static_cast<int>(std::lround(100 * share))); }

void dashed(Point from, Point to, Color color, float width, const Composer& pen) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  for (float at = 0; at < length; at += 8) {
    const float end = std::min(length, at + 4);
    pen.line({from.x + dx * at / length, from.y + dy * at / length}, {from.x + dx * end / length, from.y + dy * end / length},
             color, width);
  }
}

// A distance that a line shows, and where its number stands.
struct Side {
  SentencePair pair;
  Point from, to;
};

std::string named_pair(const PathsInput& input, const SentencePair& pair) {
  return fill(tr("{0} and {1}"), {std::to_string(typed_number(input.numbers, static_cast<std::size_t>(pair.a)) + 1),
                                  std::to_string(typed_number(input.numbers, static_cast<std::size_t>(pair.b)) + 1)});
}

double distance_of(const PathsInput& input, const SentencePair& pair) {
  const auto a = static_cast<std::size_t>(pair.a), b = static_cast<std::size_t>(pair.b);
  return a < input.distances.size() && b < input.distances[a].size() ? input.distances[a][b] : -1;
}

// Where the plane has two distances in another order than all dimensions have them: the pair that is truly the nearest, and the
// one that looks so; else any two pairs. Empty: the order agrees.
std::string wrong_order(const PathsInput& input, std::size_t stage) {
  constexpr double kClear = 1.05;  // distances that differ by less are alike
  const std::vector<SentencePair> pairs = sentence_pairs(input.paths.size());
  if (input.distances.empty() || pairs.size() < 2) return {};
  const auto seen = [&](const SentencePair& pair) {
    const auto &a = input.paths[static_cast<std::size_t>(pair.a)][stage],
               &b = input.paths[static_cast<std::size_t>(pair.b)][stage];
    return std::hypot(a[0] - b[0], a[1] - b[1]);
  };
  const auto by = [&](const auto& measure) {
    return *std::min_element(pairs.begin(), pairs.end(),
                             [&](const SentencePair& x, const SentencePair& y) { return measure(x) < measure(y); });
  };
  const auto truly = [&](const SentencePair& pair) { return distance_of(input, pair); };
  const SentencePair nearest = by(truly), looks = by(seen);
  if (!(nearest == looks) && truly(looks) > kClear * truly(nearest) && seen(nearest) > kClear * seen(looks))
    return fill(tr("the plane misleads: {0} look nearest, and {1} are"), {named_pair(input, looks), named_pair(input, nearest)});
  for (const SentencePair& x : pairs)
    for (const SentencePair& y : pairs)
      if (truly(y) > kClear * truly(x) && seen(x) > kClear * seen(y))
        return fill(tr("the plane misleads: {0} are nearer than {1}"), {named_pair(input, x), named_pair(input, y)});
  return {};
}

// The sides between the current vectors; of many sentences those of the selected one.
std::vector<Side> draw_sides(const PathsInput& input, const Plane& plane, std::size_t stage, const Composer& pen) {
  std::vector<Side> sides;
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
    sides.push_back({pair, from, to});
  }
  return sides;
}

// The true distance beside the middle of each line.
void label_sides(const PathsInput& input, const std::vector<Side>& sides, FreeLabels& labels, const Composer& pen) {
  for (const Side& side : sides) {
    const double distance = distance_of(input, side.pair);
    if (!(distance >= 0)) continue;
    char words[32];
    std::snprintf(words, sizeof words, distance >= 10 ? "%.1f" : "%.2f", distance);
    std::vector<Point> places;
    for (const float share : {0.5f, 0.4f, 0.6f, 0.3f, 0.7f})
      for (const float away : {11.0f, -11.0f, 18.0f, -18.0f}) {
        const float dx = side.to.x - side.from.x, dy = side.to.y - side.from.y, length = std::max(1.0f, std::hypot(dx, dy));
        places.push_back({side.from.x + share * dx - away * dy / length * 1.5f, side.from.y + share * dy + away * dx / length});
      }
    labels.put(words, kPathsSmall, Font::mono, pen.theme.selected, places);
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
  const Color hue = sentence_color(typed_number(input.numbers, sentence), pen.theme);
  const bool selected = static_cast<std::int64_t>(sentence) == input.sentence;
  for (std::size_t i = 1; i < points.size(); ++i) pen.line(points[i - 1], points[i], hue, selected ? 2.5f : 1.5f);
  const std::size_t shift = input.from_before_positions ? 1 : 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const Tag tag{Tag::bar, static_cast<std::int64_t>(sentence), std::max<std::int64_t>(0, static_cast<std::int64_t>(i - shift))};
    if (static_cast<std::int64_t>(i) == input.layer + static_cast<std::int64_t>(shift)) {
      pen.figure.add(Disc{points[i], 10, pen.theme.selected, tag});
      pen.figure.add(Disc{points[i], 7.5f, pen.theme.panel, tag});
    }
    pen.figure.add(Disc{points[i], kPathDot, i == 0 ? pen.theme.text : hue, tag});
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
  // How much of the truth the plane shows is said large, beside the title, or below where both have no room in one line.
  const std::string whole = fill(tr("{} % of the variance"), {percents(input.share[0] + input.share[1])});
  const float whole_wide = measure.width(whole, kPathsWhole, Font::words_bold);
  const bool beside = measure.width(input.title, kPathsName, Font::words_bold) + whole_wide + 48 <= width;
  pen.text(14, 18, input.title, kPathsName, Font::words_bold, theme.text, Align::start, width - 28);
  pen.text(width - 14, beside ? 19 : height - 17, whole, kPathsWhole, Font::words_bold, theme.text, Align::end, width - 28);
  const float room = beside ? width - 30 : width - whole_wide - 44;
  for (const std::string& note : {fill(tr("component 1: {} %, component 2: {} %, equal axes; dashed: true distances"),
                                       {percents(input.share[0]), percents(input.share[1])}),
                                  std::string(tr("dashed: true distances"))})
    if (measure.width(note, kPathsSmall, Font::words) <= room) {
      pen.text(14, height - 15, note, kPathsSmall, Font::words, theme.secondary, Align::start, room);
      break;
    }
  if (input.paths.empty() || input.paths.front().empty()) return figure;
  const Plane plane = plane_of(input.paths, {46, 66, width - 92, std::max(20.0f, height - 118)});
  const std::size_t stage =
      std::min(input.paths.front().size() - 1, static_cast<std::size_t>(input.layer) + (input.from_before_positions ? 1 : 0));
  if (const std::string misleads = wrong_order(input, stage); !misleads.empty())
    pen.text(14, 38, misleads, kPathsSmall, Font::words, theme.wrong, Align::start, width - 28);
  const std::vector<Side> sides = draw_sides(input, plane, stage, pen);
  FreeLabels labels(pen, {8, 48, width - 16, height - 76});
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
    // A name stands at the end of its path; where it has no room there, the sentence's number does.
    const std::size_t typed = typed_number(input.numbers, i);
    const auto name_at_end = [&](const std::string& words, const Point* near) {
      const float half = measure.width(words, kPathsName, Font::words) / 2;
      const float along = far > 0 ? far + half : far - half;
      return labels.put(words, kPathsName, Font::words, sentence_color(typed, theme),
                        {{end.x, end.y - 22}, {end.x, end.y + 22}, {end.x + along, end.y}, {end.x - along, end.y}}, near);
    };
    if (!name_at_end(std::to_string(typed + 1) + ": " + input.names[i], nullptr))
      name_at_end(fill(tr("sentence {}"), {std::to_string(typed + 1)}), &end);
  }
  label_sides(input, sides, labels, pen);
  label_stages(input, all, labels, pen);
  add_data_paths(input, figure);
  return figure;
}

}  // namespace headlight::figures
