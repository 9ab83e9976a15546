#include "app/views/positions/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <utility>
#include <vector>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/text/language.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kTurnedPairTitle = 16, kTurnedPairWords = 14, kTurnedPairSmall = 13, kWordsWide = 300, kLeastBesidePlane = 560,
                kTurnedPairLine = 21;
constexpr double kPi = 3.14159265358979323846;
constexpr int kRound = 96;  // corners of a circle

using Pair = std::array<double, 2>;

// Three significant digits, and no exponent below a million.
std::string three_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, std::abs(value) >= 1000 && std::abs(value) < 1e6 ? "%.0f" : "%.3g", one_nan(value));
  return text;
}

double pair_length(const Pair& p) { return std::hypot(p[0], p[1]); }

// The plane's place in the picture.
struct TurnedPlane {
  Point middle;
  float radius = 0;    // points to the edge
  double largest = 1;  // the number there
  Point at(const Pair& p) const {
    const auto x = static_cast<float>(p[0] / largest), y = static_cast<float>(p[1] / largest);
    return {middle.x + x * radius, middle.y - y * radius};
  }
};

// A vector as it stands at every position, and where its token stands.
struct Turning {
  const std::string& name;
  Pair start;
  std::int64_t at = 0;
  Color color;
  bool above = true;  // whether its name is above the arrow's tip where both vectors point the same way
};

void draw_circle(const TurnedPlane& plane, double length, const Composer& pen) {
  std::vector<Point> corners;
  for (int i = 0; i <= kRound; ++i) corners.push_back(plane.at(turned({length, 0}, 2 * kPi * i / kRound)));
  for (std::size_t i = 1; i < corners.size(); ++i) pen.line(corners[i - 1], corners[i], pen.theme.line, 1);
}

void draw_turned_arrow(Point from, Point to, Color color, const Composer& pen) {
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length < 6) return;
  const float ux = dx / length, uy = dy / length, head = std::min(12.0f, length * 0.5f);
  const Point neck{to.x - head * ux, to.y - head * uy};
  pen.line(from, neck, color, 2.5f);
  pen.figure.add(
      Polygon{{to, {neck.x - 5 * uy, neck.y + 5 * ux}, {neck.x + 5 * uy, neck.y - 5 * ux}}, color, {0, 0, 0, 0}, 0, {}});
}

// The token's name behind the tip of its arrow, inside the picture.
struct Name {
  std::string words;
  Box box;
};
Name name_of(const Turning& turning, const char* what, const TurnedPairInput& input, const TurnedPlane& plane, float right,
             const Composer& pen) {
  const Pair now = turned(turning.start, static_cast<double>(turning.at) * input.angle);
  const Point tip = plane.at(now);
  Name name;
  name.words = std::string(what) + " " + turning.name + " @" + std::to_string(turning.at);
  const float wide = pen.measure.width(name.words, kTurnedPairSmall, Font::mono);
  const float x = std::clamp(now[0] < 0 ? tip.x - 12 - wide : tip.x + 12, 4.0f, std::max(4.0f, right - wide - 4));
  name.box = {x, tip.y + (turning.above ? -14 : 14) - 8, wide, 16};
  return name;
}

void draw_turning(const Turning& turning, const TurnedPairInput& input, const TurnedPlane& plane,
                  const std::array<Name, 2>& names, const Composer& pen) {
  draw_circle(plane, pair_length(turning.start), pen);
  const double radius = pair_length(turning.start) / plane.largest * static_cast<double>(plane.radius);
  // Neighbours closer than a number is wide are numbered now and then; what would be below a name is not.
  const auto every = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(17 / std::max(radius * input.angle, 0.5))));
  for (std::int64_t t = 0; t < input.positions; ++t) {
    const Pair now = turned(turning.start, static_cast<double>(t) * input.angle);
    const bool own = t == turning.at;
    pen.figure.add(Disc{plane.at(now), own ? 5.0f : 3.0f, with_alpha(turning.color, own ? 1.0f : 0.45f), {}});
    if (input.positions > 24 || own || radius <= 0 || t % every != 0) continue;
    const double out = 1 + 12 / std::max(1.0, radius);
    const Point label = plane.at({now[0] * out, now[1] * out});
    const bool covered = std::any_of(names.begin(), names.end(), [&](const Name& name) {
      return label.x > name.box.x - 10 && label.x < name.box.x + name.box.w + 10 && label.y > name.box.y - 6 &&
             label.y < name.box.y + name.box.h + 6;
    });
    if (!covered) pen.text(label.x, label.y, std::to_string(t), 12, Font::mono, with_alpha(turning.color, 0.8f), Align::middle);
  }
  draw_turned_arrow(plane.middle, plane.at(turned(turning.start, static_cast<double>(turning.at) * input.angle)), turning.color,
                    pen);
}

// At their ends, or below the lines where there is no room; not below a token's name.
void name_axes(const TurnedPairInput& input, const TurnedPlane& plane, float reach, float wide, const std::array<Name, 2>& names,
               const Composer& pen) {
  const auto put = [&](float x, float y, std::int64_t dimension) {
    const std::string words = fill(tr("dimension {}"), {std::to_string(dimension)});
    const float w = pen.measure.width(words, 12, Font::words);
    if (x + w > wide) x = plane.middle.x + reach - w, y += 14;
    const bool covered = std::any_of(names.begin(), names.end(), [&](const Name& name) {
      return x < name.box.x + name.box.w && x + w > name.box.x && y - 7 < name.box.y + name.box.h && y + 7 > name.box.y;
    });
    pen.text(x, covered ? y + 18 : y, words, 12, Font::words, pen.theme.secondary);
  };
  put(plane.middle.x + reach + 6, plane.middle.y, input.first);
  put(plane.middle.x + 6, plane.middle.y - reach + 4, input.second);
}

std::vector<std::pair<std::string, bool>> turned_lines(const TurnedPairInput& input) {
  const Pair q = turned(input.q, static_cast<double>(input.query) * input.angle),
             k = turned(input.k, static_cast<double>(input.key) * input.angle);
  const double between = std::remainder(std::atan2(q[1], q[0]) - std::atan2(k[1], k[0]), 2 * kPi);
  const std::string dims = std::to_string(input.first) + ", " + std::to_string(input.second);
  std::vector<std::pair<std::string, bool>> lines;
  lines.emplace_back(fill(tr("Dimensions {} turn by {} rad at each position: once round in {} positions."),
                          {dims, three_digits(input.angle), three_digits(2 * kPi / std::max(input.angle, 1e-300))}),
                     false);
  lines.emplace_back(fill(tr("{} stands at {}, {} at {}: what counts is the difference, {} × that angle."),
                          {input.query_name, std::to_string(input.query), input.key_name, std::to_string(input.key),
                           std::to_string(input.query - input.key)}),
                     false);
  lines.emplace_back("|q| |k| cos(angle)", true);
  lines.emplace_back(
      "= " + three_digits(pair_length(q)) + " · " + three_digits(pair_length(k)) + " · cos(" + three_digits(between) + ")", true);
  lines.emplace_back("= " + three_digits(q[0] * k[0] + q[1] * k[1]), true);
  lines.emplace_back(fill(tr("is what this pair adds to q · k; all pairs together: {}."), {three_digits(input.all_pairs)}),
                     false);
  if (!input.note.empty()) lines.emplace_back(input.note, false);
  return lines;
}

float write_lines(const TurnedPairInput& input, float x, float y, float wide, const Composer* pen, const TextMeasure& measure) {
  for (const auto& [words, formula] : turned_lines(input)) {
    const Font font = formula ? Font::mono : Font::words;
    for (const std::string& line : wrap(words, wide, kTurnedPairWords, font, measure)) {
      if (pen)
        pen->text(x, y + kTurnedPairLine / 2, line, kTurnedPairWords, font, formula ? pen->theme.text : pen->theme.secondary);
      y += kTurnedPairLine;
    }
    y += formula ? 0 : 6;
  }
  return y;
}

void add_turned_data(const TurnedPairInput& input, Figure& figure) {
  const auto all = [&](const Pair& start) {
    std::vector<float> values;
    for (std::int64_t t = 0; t < input.positions; ++t)
      for (const double v : turned(start, static_cast<double>(t) * input.angle)) values.push_back(static_cast<float>(v));
    return Tensor::of(values, {input.positions, 2});
  };
  figure.data.push_back({"query", all(input.q), {"position", "dimension"}, {}});
  figure.data.push_back({"key", all(input.k), {"position", "dimension"}, {}});
}

}  // namespace

Pair turned(const Pair& pair, double radians) {
  const double c = std::cos(radians), s = std::sin(radians);
  return {pair[0] * c - pair[1] * s, pair[0] * s + pair[1] * c};
}

Figure turned_pair(const TurnedPairInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.text(0, 12, input.title, kTurnedPairTitle, Font::words_bold, theme.text, Align::start, width);
  const float top = 30;
  const bool beside = width >= kLeastBesidePlane && width - kWordsWide - 24 >= 0.75f * (height - top);
  const float words_high = beside ? 0 : write_lines(input, 0, 0, width - 8, nullptr, measure);
  // In a low and narrow room the plane has it all: its words do not fit, and the inspector has the numbers.
  const bool written = beside || height - top - words_high >= 170;
  const float wide = beside ? width - kWordsWide - 24 : width, high = height - top - (beside || !written ? 0 : words_high + 6);
  TurnedPlane plane;
  plane.middle = {wide / 2, top + high / 2};
  plane.radius = std::max(20.0f, std::min(wide - 24, high) / 2 - 26);
  plane.largest = std::max({pair_length(input.q), pair_length(input.k), 1e-9});
  const float reach = plane.radius + 16;
  pen.line({plane.middle.x - reach, plane.middle.y}, {plane.middle.x + reach, plane.middle.y}, theme.line, 1);
  pen.line({plane.middle.x, plane.middle.y - reach}, {plane.middle.x, plane.middle.y + reach}, theme.line, 1);
  const bool above = turned(input.q, static_cast<double>(input.query) * input.angle)[1] >=
                     turned(input.k, static_cast<double>(input.key) * input.angle)[1];
  const Turning query{input.query_name, input.q, input.query, theme.selected, above},
      key{input.key_name, input.k, input.key, theme.info, !above};
  const std::array<Name, 2> names = {name_of(query, "q", input, plane, wide, pen), name_of(key, "k", input, plane, wide, pen)};
  name_axes(input, plane, reach, wide, names, pen);
  draw_turning(key, input, plane, names, pen);
  draw_turning(query, input, plane, names, pen);
  for (const auto& [turning, name] : {std::pair{&query, &names[0]}, std::pair{&key, &names[1]}})
    pen.text(name->box.x, name->box.y + 8, name->words, kTurnedPairSmall, Font::mono, turning->color);
  if (written)
    write_lines(input, beside ? wide + 24 : 0, beside ? top + 8 : top + high + 6, beside ? kWordsWide : width - 8, &pen, measure);
  add_turned_data(input, figure);
  return figure;
}

}  // namespace headlight::figures
