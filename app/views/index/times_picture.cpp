#include "app/views/index/pictures.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

#include "app/figures/base/compose.h"
#include "app/figures/base/time_text.h"
#include "app/text/language.h"

namespace headlight::figures {

std::string operations_text(double operations) {
  char text[32];
  const bool giga = operations >= 1e9;
  std::snprintf(text, sizeof text, "%.3g %s", operations * (giga ? 1e-9 : 1e-6), giga ? "GFLOP" : "MFLOP");
  return text;
}

namespace {

// The positions of the axis's ticks, in its unit. Linear: at most `steps` ticks at 1, 2 or 5 times a power of ten; logarithmic:
// every power of ten.
std::vector<double> timing_bars_ticks_of(bool logarithmic, double low, double most, double steps) {
  std::vector<double> ticks;
  if (most <= 0) return ticks;
  if (logarithmic) {
    for (double power = low; power <= std::log10(most) + 1e-9; power += 1) ticks.push_back(std::pow(10, power));
    return ticks;
  }
  const double rough = most / steps, unit = std::pow(10, std::floor(std::log10(rough)));
  const double step = unit * (rough / unit > 5 ? 10 : rough / unit > 2 ? 5 : rough / unit > 1 ? 2 : 1);
  for (int i = 0; step * i <= most * 1.0001; ++i) ticks.push_back(step * i);
  return ticks;
}

// "20 ms": with no more digits than necessary.
std::string tick_text(double value, bool timed) {
  if (value <= 0) return "0";
  char text[32];
  const double giga = value * 1e-9;
  if (!timed)
    std::snprintf(text, sizeof text, "%g %s", giga >= 1 ? giga : value * 1e-6, giga >= 1 ? "GFLOP" : "MFLOP");
  else
    std::snprintf(text, sizeof text, "%g %s",
                  value < 0.9995e-3 ? value * 1e6
                  : value < 0.9995  ? value * 1e3
                                    : value,
                  value < 0.9995e-3 ? "µs"
                  : value < 0.9995  ? "ms"
                                    : "s");
  return text;
}

}  // namespace

Figure timing_bars(const TimingBarsInput& input, float width, const Theme& theme, const TextMeasure& measure) {
  constexpr float kBar = 16, kMargin = 4;
  Figure figure;
  const Composer pen{figure, theme, measure};
  const float row = input.row;
  const bool timed = input.unit == TimingBarsInput::Unit::seconds;
  figure.title = timed ? tr("Time of one call") : tr("Operations of one call");

  float labels = 0, errors = 0, precisions = 0, most_text = 0, factors = 0;  // widths
  double most = 0, least = 1e30;
  const auto value_text = [&](double value) { return timed ? time_text(value) : operations_text(value); };
  for (const auto& bar : input.bars) {
    labels = std::max(labels, measure.width(bar.label, 15, Font::words));
    precisions = std::max(precisions, measure.width(bar.precision, 13, Font::mono));
    errors = std::max(errors, measure.width(bar.error, 13, Font::mono));
    if (!bar.factor.empty()) factors = std::max(factors, measure.width(bar.factor, 13, Font::mono) + 10);
    most_text = std::max(most_text, measure.width(value_text(bar.median), 15, Font::mono));
    most = std::max({most, bar.median, bar.p90});
    if (bar.median > 0) least = std::min({least, bar.median, bar.p10 > 0 ? bar.p10 : bar.median});
  }
  for (const std::string& label : input.labels_to_come) labels = std::max(labels, measure.width(label, 15, Font::words));
  const bool has_errors = errors > 0;
  if (has_errors) errors = std::max(errors, measure.width(tr("error"), 13, Font::words));
  // The rows below the bars use the same column for their labels.
  for (const std::string* label : {&input.parts_label, &input.reached_label})
    labels = std::max(labels, measure.width(*label, 15, Font::words) - precisions - 14);
  labels = std::min(labels, width * 0.34f);
  const float left = kMargin + labels + 14 + (precisions > 0 ? precisions + 14 : 0);  // where the bars begin
  const float track = std::max(40.0f, width - left - most_text - factors - errors - 44);
  // Logarithmic: begins at the power of ten below the fastest, so that the shortest bar is still visible.
  const double low = std::floor(std::log10(std::max(least, 1e-9)) - 0.3), high = std::log10(std::max(most, 1e-9));
  // Of a bar, in points.
  const auto length = [&](double seconds) {
    if (seconds <= 0 || most <= 0) return 0.0f;
    const double share = input.logarithmic ? (std::log10(seconds) - low) / std::max(1e-9, high - low) : seconds / most;
    return static_cast<float>(std::clamp(share, 0.0, 1.0)) * track;
  };

  if (has_errors) pen.text(width - kMargin, 9, tr("error"), 13, Font::words, theme.secondary, Align::end);
  float y = has_errors ? 18 : 4;
  // The axis: lines behind the bars, and their values below.
  const float bars_end = y + row * static_cast<float>(input.bars.size());
  float free_from = 0;
  for (const double tick : timing_bars_ticks_of(input.logarithmic, low, most, std::clamp(track / 70.0, 1.0, 6.0))) {
    const float x = left + (tick > 0 ? length(tick) : 0), half = measure.width(tick_text(tick, timed), 12, Font::mono) / 2;
    pen.line({x, y}, {x, bars_end + 3}, theme.line);
    if (x - half < free_from || x + half > width - kMargin) continue;
    pen.text(x, bars_end + 11, tick_text(tick, timed), 12, Font::mono, theme.secondary, Align::middle);
    free_from = x + half + 8;
  }

  Data data, wrong;
  data.name = timed ? "seconds" : "operations";
  data.axes = {"variant", "figure"};
  data.labels = {{}, {"median", "p10", "p90"}};
  data.values = Tensor(DType::f64, {std::max<std::int64_t>(1, static_cast<std::int64_t>(input.bars.size())), 3}, {}, true);
  wrong.name = "error";
  wrong.axes = {"variant"};
  wrong.labels.resize(1);
  wrong.values = Tensor(DType::f64, {static_cast<std::int64_t>(input.bars.size())}, {}, true);
  for (const auto& bar : input.bars) {
    const float middle = y + row / 2;
    pen.text(kMargin, middle, bar.label, 15, Font::words, theme.text, Align::start, labels);
    pen.text(kMargin + labels + 14, middle, bar.precision, 13, Font::mono, theme.secondary);
    const Color color = bar.kind == TimingBarsInput::Bar::Kind::subject ? theme.selected
                        : bar.kind == TimingBarsInput::Bar::Kind::rival ? theme.info
                                                                        : theme.faint;
    const float to = std::max(3.0f, length(bar.median));
    pen.box({left, middle - kBar / 2, to, kBar}, color, {0, 0, 0, 0}, 0, 3);
    if (bar.p90 > bar.p10 && bar.p10 > 0) {
      const float from = length(bar.p10), until = length(bar.p90);
      if (until - from >= 2) pen.line({left + from, middle}, {left + until, middle}, theme.text, 1.5f);
    }
    const float after = left + std::max(to, length(bar.p90)) + 10;
    pen.text(after, middle, value_text(bar.median), 15, Font::mono, theme.text);
    if (!bar.factor.empty())
      pen.text(after + measure.width(value_text(bar.median), 15, Font::mono) + 10, middle, bar.factor, 13, Font::mono,
               theme.secondary);
    pen.text(width - kMargin, middle, bar.error, 13, Font::mono, theme.good, Align::end);
    const std::string name = bar.precision.empty() ? bar.label : bar.label + ", " + bar.precision;
    data.labels[0].push_back(name);
    wrong.values.data<double>()[wrong.labels[0].size()] = std::strtod(bar.error.c_str(), nullptr);
    wrong.labels[0].push_back(name);
    const double numbers[] = {bar.median, bar.p10, bar.p90};
    std::copy(std::begin(numbers), std::end(numbers), data.values.data<double>() + 3 * (wrong.labels[0].size() - 1));
    y += row;
  }
  if (!input.bars.empty()) figure.data.push_back(std::move(data));
  if (has_errors) figure.data.push_back(std::move(wrong));

  y += input.bars.empty() ? 0.0f : 18.0f;
  // Below the bars, or over the whole width if that takes fewer lines.
  std::vector<std::string> note = wrap(input.note, width - left - kMargin, 13, Font::words, measure);
  float note_x = left;
  if (std::vector<std::string> whole = wrap(input.note, width - 2 * kMargin, 13, Font::words, measure);
      whole.size() < note.size()) {
    note = std::move(whole);
    note_x = kMargin;
  }
  for (const std::string& line : note) {
    pen.text(note_x, y + 10, line, 13, Font::words, theme.secondary);
    y += 18;
  }

  // What the parts of a call take, as one bar.
  double whole = 0;
  for (const auto& part : input.parts) whole += part.seconds;
  if (whole > 0) {
    y += 4;
    const float middle = y + row / 2, room = width - left - kMargin;
    pen.text(kMargin, middle, input.parts_label, 15, Font::words, theme.secondary, Align::start, left - kMargin - 10);
    // Green, purple, teal ...: neither amber nor the blue of the bars above.
    static constexpr std::size_t kHues[] = {4, 2, 5, 10, 7};
    Data shares;
    shares.name = "parts";
    shares.axes = {"part"};
    shares.values = Tensor(DType::f64, {static_cast<std::int64_t>(input.parts.size())}, {}, true);
    shares.labels = {{}};
    const auto words_of = [](const TimingBarsInput::Part& part) { return part.label + " " + time_text(part.seconds); };
    float x = left;
    std::vector<std::size_t> below;  // parts too narrow for their names, which are listed in a line of their own
    for (std::size_t i = 0; i < input.parts.size(); ++i) {
      const auto& part = input.parts[i];
      const float w = room * static_cast<float>(part.seconds / whole);
      const Color color = theme.hues[kHues[i % std::size(kHues)]];
      if (w >= 1) pen.box({x, middle - 11, std::max(1.0f, w - 2), 22}, color, {0, 0, 0, 0}, 0, 3);
      if (measure.width(words_of(part), 13, Font::words_bold) <= w - 14)
        pen.text(x + 8, middle, words_of(part), 13, Font::words_bold, ink_on(color));
      else
        below.push_back(i);
      shares.labels[0].push_back(part.label);
      shares.values.data<double>()[i] = part.seconds;
      x += w;
    }
    // From the right end, below the parts that they name.
    float to = width - kMargin;
    for (auto i = below.rbegin(); i != below.rend(); ++i) {
      const std::string words = words_of(input.parts[*i]);
      const float from = to - measure.width(words, 13, Font::words);
      if (from - 16 < left) break;
      pen.box({from - 16, y + row + 2, 10, 10}, theme.hues[kHues[*i % std::size(kHues)]], {0, 0, 0, 0}, 0, 2);
      pen.text(from, y + row + 7, words, 13, Font::words, theme.text);
      to = from - 32;
    }
    if (!below.empty()) y += 18;
    figure.data.push_back(std::move(shares));
    y += row;
  }

  if (!input.reached.empty()) {
    const std::vector<std::string> lines = wrap(input.reached, width - left - kMargin, 14, Font::mono, measure);
    pen.text(kMargin, y + row / 2, input.reached_label, 15, Font::words, theme.secondary, Align::start, left - kMargin - 10);
    float at = y + row / 2, end = left;
    for (const std::string& line : lines) {
      pen.text(left, at, line, 14, Font::mono, theme.text);
      end = left + measure.width(line, 14, Font::mono) + 14;
      at += 20;
    }
    y += row + 20 * static_cast<float>(lines.size() - 1);
    // Behind the numbers if there is room, else below them.
    if (end + measure.width(input.reached_note, 13, Font::words) <= width - kMargin) {
      pen.text(end, at - 20, input.reached_note, 13, Font::words, theme.secondary);
    } else {
      for (const std::string& line : wrap(input.reached_note, width - left - kMargin, 13, Font::words, measure)) {
        pen.text(left, y + 7, line, 13, Font::words, theme.secondary);
        y += 18;
      }
    }
  }
  figure.width = width;
  figure.height = y + 4;
  return figure;
}

Figure error_bars(const ErrorBarsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure;
  figure.title = input.axis;
  const Composer pen{figure, theme, measure};
  constexpr float kTop = 30, kAxis = 46, kLine = 18, kMargin = 10;
  const float below = kAxis + kLine * static_cast<float>(input.lines.size());
  const std::size_t bins = std::max(input.first.size(), input.second.size());
  std::int64_t most = 1;
  std::size_t from = bins, to = 0;
  for (std::size_t i = 0; i < bins; ++i) {
    most = std::max({most, input.first[i], input.second[i]});
    if (input.first[i] + input.second[i] == 0) continue;
    from = std::min(from, i);
    to = std::max(to, i + 1);
  }
  if (from >= to) from = 0, to = bins;
  // Whole decades, so that ticks are at bin edges.
  const auto per = static_cast<std::size_t>(input.per_decade);
  from = from / per * per;
  to = std::min(bins, (to + per - 1) / per * per);
  const float slot = (width - 2 * kMargin) / static_cast<float>(to - from), tall = height - kTop - below;
  float at = kMargin;
  for (const auto& [label, color] : {std::pair{input.first_label, theme.selected}, std::pair{input.second_label, theme.info}}) {
    pen.box({at, 6, 12, 12}, color, {0, 0, 0, 0}, 0, 2);
    pen.text(at + 18, 12, label, 13, Font::words, theme.text);
    at += 34 + measure.width(label, 13, Font::words);
  }
  for (std::size_t i = from; i < to; ++i) {
    const float x = kMargin + static_cast<float>(i - from) * slot;
    const auto bar = [&](std::int64_t count, float offset, Color color) {
      const float h = tall * static_cast<float>(count) / static_cast<float>(most);
      if (count > 0) pen.box({x + offset, kTop + tall - std::max(1.0f, h), slot * 0.4f, std::max(1.0f, h)}, color);
    };
    bar(input.first[i], slot * 0.08f, theme.selected);
    bar(input.second[i], slot * 0.52f, theme.info);
    if ((i - from) % per == 0)
      pen.text(x, kTop + tall + 14, "1e" + std::to_string(input.lowest + static_cast<int>(i / per)), 13, Font::mono,
               theme.secondary, i == from ? Align::start : Align::middle);
  }
  pen.line({kMargin, kTop + tall}, {width - kMargin, kTop + tall}, theme.line);
  float line_y = kTop + tall + 52;
  for (const std::string& line : input.lines) {
    pen.text(kMargin, line_y, line, 13, Font::words, theme.secondary, Align::start, width - 2 * kMargin);
    line_y += kLine;
  }
  pen.text(kMargin, kTop + tall + 34, input.axis + (input.note.empty() ? "" : "; " + input.note), 13, Font::words,
           theme.secondary, Align::start, width - 2 * kMargin);
  figure.width = width;
  figure.height = height;
  Data data;
  data.name = "counts";
  data.axes = {"way", "bin"};
  data.values = Tensor(DType::f64, {2, static_cast<std::int64_t>(bins)}, {}, true);
  data.labels = {{input.first_label, input.second_label}, {}};
  for (std::size_t i = 0; i < bins; ++i) {
    char edge[24];
    std::snprintf(edge, sizeof edge, "1e%g", input.lowest + static_cast<double>(i) / input.per_decade);
    data.labels[1].emplace_back(edge);
    data.values.data<double>()[i] = static_cast<double>(input.first[i]);
    data.values.data<double>()[bins + i] = static_cast<double>(input.second[i]);
  }
  figure.data.push_back(std::move(data));
  return figure;
}

}  // namespace headlight::figures
