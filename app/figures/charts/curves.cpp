#include "app/figures/charts/curves.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/non_finite.h"
#include "engine/text/grouped_number.h"

namespace headlight::figures {
namespace {

constexpr float kCurvesTitle = 16, kCurvesSmall = 13, kCurvesToken = 15, kCurvesSwatch = 18, kTurn = 40;

// Maps an axis's numbers to points.
struct AxisScale {
  double low = 0, high = 1;
  bool log = false;
  float from = 0, to = 1;  // points at low and high

  double share(double v) const {
    if (log) return (std::log10(v) - std::log10(low)) / (std::log10(high) - std::log10(low));
    return (v - low) / (high - low);
  }
  float at(double v) const { return from + static_cast<float>(share(v)) * (to - from); }
  bool has(double v) const { return std::isfinite(v) && (!log || v > 0); }
};

double x_of(const CurvesInput& input, std::size_t i) { return input.x.empty() ? static_cast<double>(i) : input.x[i]; }

std::size_t count_of(const CurvesInput& input) {
  if (!input.x.empty()) return input.x.size();
  std::size_t count = input.x_words.size();
  for (const auto& curve : input.curves) count = std::max(count, curve.y.size());
  return count;
}

void widen(AxisScale& scale) {
  if (scale.high > scale.low) return;
  if (scale.log) {
    scale.low /= 2;
    scale.high *= 2;
  } else {
    const double by = scale.high == 0 ? 1 : std::abs(scale.high) * 0.5;
    scale.low -= by;
    scale.high += by;
  }
}

AxisScale x_scale(const CurvesInput& input) {
  AxisScale scale;
  scale.log = input.x_log;
  bool any = false;
  for (std::size_t i = 0; i < count_of(input); ++i) {
    const double x = x_of(input, i);
    if (!scale.has(x)) continue;
    scale.low = any ? std::min(scale.low, x) : x;
    scale.high = any ? std::max(scale.high, x) : x;
    any = true;
  }
  if (!any) scale.low = scale.log ? 1 : 0, scale.high = scale.log ? 10 : 1;
  widen(scale);
  return scale;
}

AxisScale y_scale(const CurvesInput& input, int most_ticks) {
  AxisScale scale;
  scale.log = input.y_log;
  bool any = false;
  const auto take = [&](double y) {
    if (!scale.has(y)) return;
    scale.low = any ? std::min(scale.low, y) : y;
    scale.high = any ? std::max(scale.high, y) : y;
    any = true;
  };
  for (const auto& curve : input.curves)
    for (const double y : curve.y) take(y);
  if (input.y_from_zero) take(0);
  if (!any) scale.low = scale.log ? 1 : 0, scale.high = scale.log ? 10 : 1;
  const bool free_low = std::isnan(input.y_low), free_high = std::isnan(input.y_high);
  if (!free_low && scale.has(input.y_low)) scale.low = input.y_low;
  if (!free_high && scale.has(input.y_high)) scale.high = input.y_high;
  widen(scale);
  if (scale.log) return scale;
  // The axis ends at round numbers, so that a curve at the frame always has a number beside it.
  const auto round = round_ticks(scale.low, scale.high, most_ticks);
  if (round.size() >= 2) {
    const double step = round[1] - round[0];
    if (free_low) scale.low = std::floor(scale.low / step + 1e-9) * step;
    if (free_high) scale.high = std::ceil(scale.high / step - 1e-9) * step;
  }
  return scale;
}

// A number beside an axis: "2,000", "10⁷", "0.25"; never with an exponent of e.
std::string tick_number(double value) {
  const double size = std::abs(value);
  if (size >= 1e3 && size < 1e6 && value == std::floor(value)) return text::grouped_number(static_cast<std::int64_t>(value));
  const double power = size > 0 ? std::round(std::log10(size)) : 0;
  if ((power < 6 && power > -4) || std::abs(size / std::pow(10.0, power) - 1) > 1e-9) return range_number(value);
  static const char* const raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = value < 0 ? "-10" : "10";
  if (power < 0) text += "⁻";
  for (const char digit : std::to_string(static_cast<int>(std::abs(power)))) text += raised[digit - '0'];
  return text;
}

std::vector<double> ticks_of(const AxisScale& scale, int most) {
  return scale.log ? power_ticks(scale.low, scale.high, most) : round_ticks(scale.low, scale.high, most);
}

struct Entry {
  int row = 0;
  float x = 0, width = 0;
};
// The legend's entries, in as many rows as they need.
std::vector<Entry> legend_of(const CurvesInput& input, float width, const TextMeasure& measure) {
  std::vector<Entry> list;
  int row = 0;
  float x = 0;
  for (const auto& curve : input.curves) {
    const float wide = std::min(width, kCurvesSwatch + 6 + measure.width(curve.label, kCurvesSmall, Font::words));
    if (x > 0 && x + wide > width) {
      ++row;
      x = 0;
    }
    list.push_back({row, x, wide});
    x += wide + 18;
  }
  return list;
}

bool has_legend(const CurvesInput& input) {
  return std::any_of(input.curves.begin(), input.curves.end(), [](const auto& curve) { return !curve.label.empty(); });
}

// Dashes of kDash points with gaps of kGap, measured along a curve over all of its segments.
struct Dashes {
  static constexpr float kDash = 5, kGap = 4;
  float done = 0;  // of the dash or gap that the last segment ended in, from the dash's beginning
  void add(Figure& figure, Point from, Point to, Color color) {
    const float length = std::hypot(to.x - from.x, to.y - from.y);
    if (length <= 0) return;
    const auto on = [&](float at) {
      return Point{from.x + (to.x - from.x) * at / length, from.y + (to.y - from.y) * at / length};
    };
    for (float at = 0; at < length;) {
      const bool dash = done < kDash;
      const float next = std::min(length, at + (dash ? kDash : kDash + kGap) - done);
      if (dash) figure.add(Line{on(at), on(next), color, 1.5f});
      done += next - at;
      if (done >= kDash + kGap - 1e-3f) done = 0;
      at = std::max(next, at + 1e-3f);
    }
  }
};

// Marks the gaps of curve `index` across its lane of the plot, so that those of several curves at one x are all seen; the disc
// says whose they are. Gaps that share two points of width share a mark.
void add_gaps(Figure& figure, const CurvesInput& input, std::size_t index, const AxisScale& x, const AxisScale& y, Color color) {
  const CurvesInput::Curve& curve = input.curves[index];
  if (curve.partial) return;
  const auto curves = static_cast<float>(input.curves.size());
  const float lane = (y.from - y.to) / curves, top = y.to + lane * static_cast<float>(index);
  std::vector<Rectangle> marks;
  for (std::size_t i = 0; i < std::min(curve.y.size(), count_of(input)); ++i) {
    const NonFinite kind = non_finite(curve.y[i]);
    if (kind == NonFinite::none || !x.has(x_of(input, i))) continue;
    const float at = x.at(x_of(input, i)) - 1;
    if (!marks.empty() && marks.back().tag.a == static_cast<std::int64_t>(kind) && at - marks.back().box.x < 2)
      ++marks.back().tag.b;
    else
      marks.push_back(gap_mark(kind, {at, top, 2, lane}));
  }
  for (Rectangle& mark : marks) {
    const Point middle{mark.box.x + 1, top + lane / 2};
    figure.add(std::move(mark));
    if (curves > 1) figure.add(Disc{middle, 3, color, {}});
  }
}

void add_curve(Figure& figure, const CurvesInput& input, const CurvesInput::Curve& curve, const AxisScale& x, const AxisScale& y,
               Color color) {
  const std::size_t count = std::min(curve.y.size(), count_of(input));
  // The plot cannot show more points than it has pixels: draws every k-th, and always the last.
  const auto stride = std::max<std::size_t>(1, count / static_cast<std::size_t>(std::max(1.0f, x.to - x.from)));
  Point last;
  bool open = false;
  Dashes dashes;
  for (std::size_t i = 0; i < count; i = i + stride < count || i + 1 == count ? i + stride : count - 1) {
    const double vx = x_of(input, i), vy = curve.y[i];
    if (!x.has(vx) || !y.has(vy)) {
      open = false;
      continue;
    }
    const Point here{x.at(vx), std::clamp(y.at(vy), y.to, y.from)};
    if (open && curve.dashed) dashes.add(figure, last, here, color);
    if (open && !curve.dashed) figure.add(Line{last, here, color, 1.75f});
    if (input.points && stride == 1) figure.add(Disc{here, 3, color, {}});
    last = here;
    open = true;
  }
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int most) {
  std::vector<double> ticks;
  if (!(high > low) || !std::isfinite(low) || !std::isfinite(high)) return {low};
  most = std::max(most, 2);
  double step = std::pow(10.0, std::floor(std::log10((high - low) / most)));
  for (const double factor : {1.0, 2.0, 5.0, 10.0, 20.0, 50.0}) {
    const double first = std::ceil(low / (step * factor) - 1e-9), last = std::floor(high / (step * factor) + 1e-9);
    if (last - first + 1 > most) continue;
    for (double i = first; i <= last; ++i) ticks.push_back(i * step * factor == 0 ? 0 : i * step * factor);
    break;
  }
  if (ticks.size() < 2) return {low, high};
  return ticks;
}

std::vector<double> power_ticks(double low, double high, int most) {
  std::vector<double> ticks;
  const int first = static_cast<int>(std::ceil(std::log10(low) - 1e-9)),
            last = static_cast<int>(std::floor(std::log10(high) + 1e-9));
  const int step = std::max(1, (last - first) / std::max(1, most - 1) + ((last - first) % std::max(1, most - 1) ? 1 : 0));
  for (int i = first; i <= last; i += step) ticks.push_back(std::pow(10.0, i));
  if (ticks.size() < 2) return {low, high};
  return ticks;
}

Color curve_color(int hue, std::size_t index, const Theme& theme) {
  const std::size_t hues = theme.hues.size();
  return theme.hues[hue >= 0 ? static_cast<std::size_t>(hue) % hues : 1 + index % (hues - 1)];
}

Figure curves(const CurvesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(input.title, std::max(width, 120.0f), std::max(height, 90.0f), theme);
  const Composer pen{figure, theme, measure};
  const float small = measure.line_height(kCurvesSmall, Font::words);
  const float margin = input.margin, inner = figure.width - 2 * margin;

  // The title and which colour is which curve.
  float top = std::max(2.0f, margin);
  if (!input.title.empty()) {
    const float line = measure.line_height(kCurvesTitle, Font::words_bold);
    const std::vector<std::string> lines = wrap(input.title, inner, kCurvesTitle, Font::words_bold, measure);
    for (const std::string& words : lines) {
      if (&words != &lines.front()) {  // further lines do not take room from the curves
        top += line;
        figure.height += line;
      }
      pen.text(margin, top + line / 2, words, kCurvesTitle, Font::words_bold, theme.text);
    }
    top += line + 4;
  }
  if (has_legend(input)) {
    const auto entries = legend_of(input, inner, measure);
    for (std::size_t i = 0; i < entries.size(); ++i) {
      const float middle = top + (static_cast<float>(entries[i].row) + 0.5f) * (small + 3), from = margin + entries[i].x;
      const Color color = curve_color(input.curves[i].hue, i, theme);
      if (input.curves[i].dashed) {
        pen.line({from, middle}, {from + 7, middle}, color, 2);
        pen.line({from + 11, middle}, {from + kCurvesSwatch, middle}, color, 2);
      } else {
        pen.line({from, middle}, {from + kCurvesSwatch, middle}, color, 2.5f);
      }
      pen.text(from + kCurvesSwatch + 6, middle, input.curves[i].label, kCurvesSmall, Font::words, theme.secondary, Align::start,
               entries[i].width - kCurvesSwatch - 5);
    }
    if (!entries.empty()) top += static_cast<float>(entries.back().row + 1) * (small + 3) + 2;
  }
  top += small / 2 + 1;  // half the height of the topmost number

  // The plot and its scales.
  const bool has_words = !input.x_words.empty();  // along the x axis, not numbers
  float widest_word = 0, turn = 0;                // and how far these are turned, in degrees
  float below = small + 6;                        // the height of the words or numbers
  if (has_words) {
    for (const std::string& word : input.x_words)
      widest_word = std::max(widest_word, measure.width(word, kCurvesToken, Font::mono));
    widest_word = std::min(widest_word, 110.0f);
    const float pitch = inner / static_cast<float>(std::max<std::size_t>(1, input.x_words.size()));
    turn = widest_word + 8 > pitch ? kTurn : 0;
    const Extent extent = turned(widest_word, measure.line_height(kCurvesToken, Font::mono), turn);
    below = extent.h + 6;
  }
  const float axis_line = input.x_axis.empty() ? 0 : small + 2;
  const float note_line = input.note.empty() ? 0 : small + 4;
  float bottom = figure.height - std::max(margin / 2, 2.0f) - axis_line - note_line - below;
  if (bottom < top + 24) bottom = top + 24;
  const int most_rows = std::max(2, static_cast<int>((bottom - top) / 34));
  AxisScale x = x_scale(input), y = y_scale(input, most_rows);
  const std::vector<double> rows = ticks_of(y, most_rows + 1);
  float numbers = 0;
  for (const double tick : rows) numbers = std::max(numbers, measure.width(tick_number(tick), kCurvesSmall, Font::mono));
  // A low plot has no room for the name of its y axis.
  const bool names_y = !input.y_axis.empty() && measure.width(input.y_axis, kCurvesSmall, Font::words) <= bottom - top + small;
  float left = margin + (names_y ? small + 4 : 0) + numbers + 8;
  // Rotated words begin left of their points: the first one must stay inside the figure.
  if (has_words && turn > 0) left = std::max(left, widest_word * 0.77f + 4 - 6);
  const float right = figure.width - std::max(margin + 4, 8.0f);
  if (left > right - 30) left = right - 30;
  // Horizontal words are centred under their points: the last one must stay inside the figure.
  const float beyond = turn > 0 ? 0 : widest_word / 2 - (figure.width - right) + 2;
  x.from = has_words ? left + 10 : left;
  x.to = has_words ? std::max(x.from + 10, right - std::max(10.0f, beyond)) : right;
  y.from = bottom;
  y.to = top;

  float lowest = bottom + small;  // of what is free for a number
  for (const double tick : rows) {
    const float at = y.at(tick);
    if (at < top - 0.5f || at > bottom + 0.5f || at + small / 2 > lowest) continue;
    lowest = at - small / 2;
    pen.line({left, at}, {right, at}, with_alpha(theme.line, tick == 0 ? 1.0f : 0.7f), tick == 0 ? 1.5f : 1.0f);
    pen.text(left - 6, at, tick_number(tick), kCurvesSmall, Font::mono, theme.secondary, Align::end);
  }
  pen.line({left, top}, {left, bottom}, theme.line);
  pen.line({left, bottom}, {right, bottom}, theme.line);

  const std::size_t count = count_of(input);
  if (has_words) {
    const float pitch = count > 1 ? (x.to - x.from) / static_cast<float>(count - 1) : x.to - x.from;
    const float line = measure.line_height(kCurvesToken, Font::mono);
    const float need = turn > 0 ? line * 0.85f / 0.643f : widest_word + 8;
    for (const std::int64_t i : ticks(0, static_cast<std::int64_t>(count), pitch, need, input.hot)) {
      Text t;
      t.text = input.x_words[static_cast<std::size_t>(i)];
      t.size = kCurvesToken;
      t.font = Font::mono;
      t.color = i == input.hot ? theme.selected : theme.text;
      t.max_width = widest_word + 1;
      const float at = x.at(x_of(input, static_cast<std::size_t>(i)));
      if (turn > 0) {  // the word ends under its point
        t.at = {at + 4, bottom + 6 + line / 2 * 0.766f};
        t.horizontal = Align::end;
        t.rotation = turn;
      } else {
        t.at = {at, bottom + 5 + line / 2};
        t.horizontal = Align::middle;
      }
      figure.add(std::move(t));
    }
  } else {
    const int most = std::max(2, static_cast<int>((right - left) / 64));
    float free = -1e9f;
    for (const double tick : ticks_of(x, most)) {
      const float at = x.at(tick);
      const std::string number = tick_number(tick);
      const float half = measure.width(number, kCurvesSmall, Font::mono) / 2;
      if (at < left - 0.5f || at > right + 0.5f || at - half < free) continue;
      pen.line({at, bottom}, {at, bottom + 4}, theme.line);
      const float centre = std::min(at, figure.width - half - 2);
      pen.text(centre, bottom + 4 + small / 2, number, kCurvesSmall, Font::mono, theme.secondary, Align::middle);
      free = centre + half + 6;
    }
  }

  if (!input.x_axis.empty())
    pen.text((left + right) / 2, bottom + below + axis_line / 2, input.x_axis, kCurvesSmall, Font::words, theme.secondary,
             Align::middle, right - left, kAxisTag);
  if (names_y) {
    Text t;
    t.text = input.y_axis;
    t.at = {margin + small / 2, (top + bottom) / 2};
    t.size = kCurvesSmall;
    t.color = theme.secondary;
    t.horizontal = Align::middle;
    t.rotation = 90;
    t.max_width = bottom - top + small;
    t.tag = kAxisTag;
    figure.add(std::move(t));
  }
  if (!input.note.empty())
    pen.text(margin, figure.height - std::max(margin / 2, 2.0f) - note_line / 2, input.note, kCurvesSmall, Font::words,
             theme.faint, Align::start, inner, kNoteTag);

  const auto hot = static_cast<std::size_t>(input.hot);
  const bool lit = input.hot >= 0 && hot < count && x.has(x_of(input, hot));
  if (lit) pen.line({x.at(x_of(input, hot)), top}, {x.at(x_of(input, hot)), bottom}, theme.selected, 1);
  for (std::size_t i = 0; i < input.curves.size(); ++i)
    add_gaps(figure, input, i, x, y, curve_color(input.curves[i].hue, i, theme));
  for (std::size_t i = 0; i < input.curves.size(); ++i)
    add_curve(figure, input, input.curves[i], x, y, curve_color(input.curves[i].hue, i, theme));
  if (lit)
    for (std::size_t i = 0; i < input.curves.size(); ++i) {
      const auto& values = input.curves[i].y;
      if (hot >= values.size() || !y.has(values[hot])) continue;
      const Point at{x.at(x_of(input, hot)), std::clamp(y.at(values[hot]), y.to, y.from)};
      figure.add(Disc{at, 5, theme.background, {}});
      figure.add(Disc{at, 4, curve_color(input.curves[i].hue, i, theme), {}});
    }
  // For the mouse: the plot's area, which ends at the first and the last x.
  pen.box({x.from, top, x.to - x.from, bottom - top}, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::column, 0, 0});

  Data data;
  data.name = input.title.empty() ? "curves" : input.title;
  data.axes = {"curve", input.x_axis.empty() ? "x" : input.x_axis};
  data.values = Tensor(DType::f64, {static_cast<std::int64_t>(input.curves.size()), static_cast<std::int64_t>(count)});
  data.labels.resize(2);
  for (std::size_t i = 0; i < input.curves.size(); ++i) {
    data.labels[0].push_back(input.curves[i].label);
    for (std::size_t k = 0; k < count; ++k)
      data.values.data<double>()[i * count + k] =
          k < input.curves[i].y.size() ? input.curves[i].y[k] : std::numeric_limits<double>::quiet_NaN();
  }
  data.labels[1] = input.x_words;
  if (!has_words && !input.x.empty())
    for (const double value : input.x) {
      char number[32];
      std::snprintf(number, sizeof number, "%.9g", value);
      data.labels[1].emplace_back(number);
    }
  if (!input.curves.empty() && count > 0) figure.data.push_back(std::move(data));
  return figure;
}

std::int64_t curve_point_at(const Figure& figure, const CurvesInput& input, Point at) {
  const std::size_t count = count_of(input);
  if (count == 0 || figure.items.empty()) return -1;
  const auto* area = std::get_if<Rectangle>(&figure.items.back());
  if (!area || area->tag.kind != Tag::column) return -1;
  constexpr float kReach = 8;  // points beyond the ends in which the mouse still finds the first and the last x
  if (at.x < area->box.x - kReach || at.x > area->box.x + area->box.w + kReach || at.y < area->box.y - kReach ||
      at.y > area->box.y + area->box.h + kReach)
    return -1;
  AxisScale x = x_scale(input);
  x.from = area->box.x;
  x.to = area->box.x + area->box.w;
  std::int64_t best = -1;
  float nearest = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (!x.has(x_of(input, i))) continue;
    const float away = std::abs(x.at(x_of(input, i)) - at.x);
    if (best >= 0 && away >= nearest) continue;
    best = static_cast<std::int64_t>(i);
    nearest = away;
  }
  return best;
}

}  // namespace headlight::figures
