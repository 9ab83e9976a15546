#include <algorithm>
#include <cmath>
#include <limits>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/text/language.h"
#include "app/views/by_hand/pictures.h"

namespace headlight::views::hand {
namespace {

using namespace figures;

using by_hand::Table;

struct PlaneFrame {
  Box plot;
  double low_x = 0, low_y = 0, unit = 1;  // points per number
  Point at(double x, double y) const {
    return {plot.x + static_cast<float>((x - low_x) * unit), plot.y + plot.h - static_cast<float>((y - low_y) * unit)};
  }
};

PlaneFrame plane_of(const Table& v, const Table& output, std::int64_t query, float width, float height) {
  double low_x = 0, high_x = 0, low_y = 0, high_y = 0;
  const auto take = [&](double x, double y) {
    low_x = std::min(low_x, x);
    high_x = std::max(high_x, x);
    low_y = std::min(low_y, y);
    high_y = std::max(high_y, y);
  };
  for (std::int64_t j = 0; j < v.rows; ++j) take(v.at(j, 0), v.at(j, 1));
  take(output.at(query, 0), output.at(query, 1));
  const double margin = 0.14 * std::max({high_x - low_x, high_y - low_y, 1e-9});
  PlaneFrame frame;
  frame.plot = {34, 34, std::max(20.0f, width - 44), std::max(20.0f, height - 62)};
  frame.low_x = low_x - margin;
  frame.low_y = low_y - margin;
  frame.unit = std::min(static_cast<double>(frame.plot.w) / (high_x - low_x + 2 * margin),
                        static_cast<double>(frame.plot.h) / (high_y - low_y + 2 * margin));
  return frame;
}

double step_of(double span) {
  const double raw = span / 5, power = std::pow(10.0, std::floor(std::log10(raw)));
  return power * (raw / power > 5 ? 10 : raw / power > 2 ? 5 : raw / power > 1 ? 2 : 1);
}

void draw_grid(const PlaneFrame& f, const Composer& pen) {
  const Theme& theme = pen.theme;
  const double wide = f.plot.w / f.unit, high = f.plot.h / f.unit, step = step_of(std::max(wide, high));
  for (double x = std::ceil(f.low_x / step) * step; x <= f.low_x + wide; x += step) {
    const Point p = f.at(x, f.low_y);
    pen.line({p.x, f.plot.y}, {p.x, f.plot.y + f.plot.h}, std::abs(x) < step / 2 ? theme.secondary : theme.line, 1);
    pen.text(p.x, f.plot.y + f.plot.h + 12, range_number(std::abs(x) < step / 2 ? 0 : x), 13, Font::mono, theme.secondary,
             Align::middle, 0, kAxisTag);
  }
  for (double y = std::ceil(f.low_y / step) * step; y <= f.low_y + high; y += step) {
    const Point p = f.at(f.low_x, y);
    pen.line({f.plot.x, p.y}, {f.plot.x + f.plot.w, p.y}, std::abs(y) < step / 2 ? theme.secondary : theme.line, 1);
    pen.text(f.plot.x - 6, p.y, range_number(std::abs(y) < step / 2 ? 0 : y), 13, Font::mono, theme.secondary, Align::end, 0,
             kAxisTag);
  }
}

void draw_arrow(const PlaneFrame& f, double x, double y, Color color, float width, const Composer& pen) {
  const Point from = f.at(0, 0), to = f.at(x, y);
  const float dx = to.x - from.x, dy = to.y - from.y, length = std::hypot(dx, dy);
  if (length < 1) return;
  pen.line(from, to, color, width);
  if (length < 9) return;
  const float ux = dx / length, uy = dy / length;
  Polygon head;
  head.points = {
      to, {to.x - 9 * ux - 4.5f * uy, to.y - 9 * uy + 4.5f * ux}, {to.x - 9 * ux + 4.5f * uy, to.y - 9 * uy - 4.5f * ux}};
  head.fill = color;
  pen.figure.add(std::move(head));
}

// Where the output of the row would be at another temperature.
bool output_at(const ByHandInput& input, std::int64_t query, double temperature, Point& numbers) {
  by_hand::Case other = input.hand;
  other.temperature = temperature;
  const auto worked = by_hand::work(other);
  if (!worked.ok()) return false;
  const Table& output = worked->stages.at("output");
  numbers = {static_cast<float>(output.at(query, 0)), static_cast<float>(output.at(query, 1))};
  return true;
}

}  // namespace

bool has_plane(const ByHandInput& input) {
  const auto v = input.worked.stages.find("v");
  return v != input.worked.stages.end() && input.worked.stages.contains("output") && v->second.columns == 2;
}

Figure by_hand_plane(const ByHandInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  if (!has_plane(input)) return {};
  const auto v = input.worked.stages.find("v"), output = input.worked.stages.find("output");
  Figure figure = begin_picture(tr("The sum in the plane of the values"), width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.text(0, 10, first_that_fits({figure.title, tr("The sum")}, width, 16, Font::words_bold, measure), 16, Font::words_bold,
           theme.text, Align::start, 0, kTitleTag);
  const std::int64_t query = pair_of(input.hot.stage.empty() ? input.chosen : input.hot, input.worked).query;
  const PlaneFrame frame = plane_of(v->second, output->second, query, width, height);
  draw_grid(frame, pen);
  const Table& weights = input.worked.stages.at("weights");
  for (std::int64_t j = 0; j < v->second.rows; ++j) {
    const Color hue = theme.hues[static_cast<std::size_t>(j) % theme.hues.size()];
    const double x = v->second.at(j, 0), y = v->second.at(j, 1), w = weights.at(query, j);
    draw_arrow(frame, x, y, hue, 1.4f, pen);
    pen.line(frame.at(0, 0), frame.at(w * x, w * y), with_alpha(hue, 0.65f), 6);
    const Point end = frame.at(x, y);
    const std::string name = key_name(input.hand, j);
    const bool left = end.x + 6 + measure.width(name, 13, Font::words) > width;
    pen.text(end.x + (left ? -6.0f : 6.0f), std::max(26.0f, end.y - 10), name, 13, Font::words, hue,
             left ? Align::end : Align::start);
  }
  const double x = output->second.at(query, 0), y = output->second.at(query, 1);
  for (const double temperature : {0.0, std::numeric_limits<double>::infinity()})
    if (Point numbers; output_at(input, query, temperature, numbers)) {
      const Point ring = frame.at(numbers.x, numbers.y);
      pen.figure.add(Disc{ring, 6, theme.selected, {}});
      pen.figure.add(Disc{ring, 4, theme.background, {}});
      pen.text(ring.x + 9, ring.y + 11, temperature == 0 ? "0" : "∞", 13, Font::mono, theme.selected);
    }
  draw_arrow(frame, x, y, theme.selected, 2.5f, pen);
  figure.data.push_back(
      {"values", Tensor::of(v->second.numbers, {v->second.rows, 2}), {"key", "number"}, {input.hand.key_names, {}}});
  figure.data.push_back({"output",
                         Tensor::of(output->second.numbers, {output->second.rows, 2}),
                         {"query", "number"},
                         {input.hand.query_names, {}}});
  return figure;
}

}  // namespace headlight::views::hand
