#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <utility>

#include "app/figures/base/begin_picture.h"
#include "app/figures/base/compose.h"
#include "app/figures/base/labels.h"
#include "app/figures/base/non_finite.h"
#include "app/text/language.h"
#include "app/views/scores/pictures.h"
#include "engine/core/one_nan.h"

namespace headlight::figures {
namespace {

constexpr float kScalePlotLeft = 34, kScalePlotRight = 14, kBelowScalePlot = 40, kLowPlot = 180, kLowWords = 110;

float above_of(float height) { return height < kLowPlot ? 30 : 50; }  // a low one has no second line of words

struct PlotFrame {
  Box plot;
  double low = 0.01, high = 10, most = 0.5;
  float x(double factor) const {
    const double share = (std::log10(factor) - std::log10(low)) / (std::log10(high) - std::log10(low));
    return plot.x + static_cast<float>(std::clamp(share, 0.0, 1.0)) * plot.w;
  }
  float y(double norm) const { return plot.y + plot.h - static_cast<float>(std::clamp(norm / most, 0.0, 1.0)) * plot.h; }
};

PlotFrame scale_frame(const ScalePlotInput& input, float width, float height) {
  PlotFrame frame;
  frame.plot = {kScalePlotLeft, above_of(height), std::max(20.0f, width - kScalePlotLeft - kScalePlotRight),
                std::max(20.0f, height - above_of(height) - kBelowScalePlot)};
  if (!input.factors.empty()) {
    frame.low = input.factors.front();
    frame.high = input.factors.back();
  }
  return frame;
}

// ".177", ".0036", "2.5"
std::string few_digits(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", one_nan(value));
  const std::string written = text;
  return written.starts_with("0.") ? written.substr(1) : written;
}

void draw_norms(const ScalePlotInput& input, const std::vector<double>& norms, const PlotFrame& frame, Color color, float width,
                const Composer& pen) {
  for (std::size_t i = 1; i < norms.size() && i < input.factors.size(); ++i)
    if (std::isfinite(norms[i - 1]) && std::isfinite(norms[i]))
      pen.line({frame.x(input.factors[i - 1]), frame.y(norms[i - 1])}, {frame.x(input.factors[i]), frame.y(norms[i])}, color,
               width);
  for (std::size_t i = 0; i < norms.size() && i < input.factors.size(); ++i)
    if (const NonFinite kind = non_finite(norms[i]); kind != NonFinite::none)
      pen.figure.add(gap_mark(kind, {frame.x(input.factors[i]) - 1, frame.plot.y, 2, frame.plot.h}));
}

void draw_scale_axes(const ScalePlotInput& input, const PlotFrame& frame, const Composer& pen) {
  const Theme& theme = pen.theme;
  const Box& p = frame.plot;
  const int every = p.h >= 100 ? 1 : p.h >= 50 ? 2 : 5;
  for (int i = 0; i <= 5; i += every) {
    const float y = frame.y(0.1 * i);
    pen.line({p.x, y}, {p.x + p.w, y}, theme.line, 1);
    pen.text(p.x - 6, y, i == 0 ? "0" : "." + std::to_string(i), 13, Font::mono, theme.secondary, Align::end);
  }
  const float below = p.y + p.h + 11;
  for (const double tick : {0.01, 0.1, 1.0, 10.0})
    pen.text(frame.x(tick), below, tick < 1 ? (tick < 0.05 ? ".01" : ".1") : range_number(tick), 13, Font::mono, theme.secondary,
             tick > 5      ? Align::end
             : tick < 0.05 ? Align::start
                           : Align::middle);
  const std::string axis = tr("factor on s·h, logarithmic");
  const float axis_wide = pen.measure.width(axis, 13, Font::words);
  pen.text(p.x, below + 17, axis, 13, Font::words, theme.secondary, Align::start, p.w);
  if (axis_wide + pen.measure.width(input.others_words, 13, Font::words) + 20 <= p.w)
    pen.text(p.x + p.w, below + 17, input.others_words, 13, Font::words, theme.secondary, Align::end);
}

// Two lines of words beside a vertical line, on the side with more room.
void draw_marker_words(const std::string& first, const std::string& second, float x, float y, Color color, bool left,
                       const PlotFrame& frame, const Composer& pen) {
  const float wide = std::max(pen.measure.width(first, 13, Font::words), pen.measure.width(second, 13, Font::words));
  const Box& p = frame.plot;
  if (left && x - 10 - wide < p.x) left = false;
  if (!left && x + 10 + wide > p.x + p.w) left = x - 10 - wide >= p.x;
  const float from = left ? x - 10 - wide : x + 10;
  if (from + wide > p.x + p.w + kScalePlotRight) return;  // a narrow plot has the marker alone
  pen.box({from - 3, y - 10, wide + 6, second.empty() ? 20.0f : 38.0f}, with_alpha(pen.theme.background, 0.85f), {0, 0, 0, 0}, 0,
          3);
  pen.text(from, y, first, 13, Font::words, color);
  if (!second.empty()) pen.text(from, y + 18, second, 13, Font::words, color);
}

void draw_markers(const ScalePlotInput& input, const PlotFrame& frame, const Composer& pen) {
  const Theme& theme = pen.theme;
  const Box& p = frame.plot;
  const float one = frame.x(1), here = frame.x(input.factor), bottom = p.y + p.h;
  for (float y = p.y; y < bottom; y += 6) pen.line({one, y}, {one, std::min(bottom, y + 2)}, theme.secondary, 1);
  pen.line({here, p.y}, {here, bottom}, theme.selected, 1.5f);
  const float apart = std::abs(one - here);
  if (apart > 8) {
    pen.figure.add(Disc{{one, frame.y(input.norm_at_one)}, 5, theme.text, {}});
    pen.figure.add(Disc{{one, frame.y(input.norm_at_one)}, 3, theme.background, {}});
  }
  pen.figure.add(Disc{{here, frame.y(input.norm)}, 6, theme.selected, {}});
  pen.figure.add(Disc{{here, frame.y(input.norm)}, 3.5f, theme.background, {}});
  const std::string d = std::to_string(input.d);
  const bool at_root = std::abs(input.factor / input.root - 1) < 1e-6;
  const std::string what = at_root                             ? fill(tr("divided by √{}"), {d})
                           : std::abs(input.factor - 1) < 1e-6 ? std::string(tr("not divided"))
                                                               : fill(tr("times {}"), {few_digits(input.factor)});
  const std::string numbers = fill(tr("factor {}, norm {}"), {few_digits(input.factor), few_digits(input.norm)});
  const std::string undivided = fill(tr("not divided: factor 1, norm {}"), {few_digits(input.norm_at_one)});
  if (p.h < kLowWords) {
    // No room in the plot: above it, at the right.
    const float title = pen.measure.width(tr("Why divide by √d"), 16, Font::words_bold) + 16;
    float x = p.x + p.w;
    const std::pair<std::string, Color> both[] = {
        {fill(tr("{}: norm {}"), {what, few_digits(input.norm)}), theme.selected},
        {fill(tr("{}: norm {}"), {tr("not divided"), few_digits(input.norm_at_one)}), theme.text}};
    for (const auto& [words, color] : both) {
      const float wide = pen.measure.width(words, 13, Font::words);
      if (x - wide < title) break;
      pen.text(x, 11, words, 13, Font::words, color, Align::end);
      x -= wide + 16;
      if (apart <= 8) break;
    }
    return;
  }
  draw_marker_words(what, numbers, here, p.y + p.h - 44, theme.selected, true, frame, pen);
  if (apart > 8) draw_marker_words(undivided, "", one, p.y + 10, theme.text, false, frame, pen);
}

}  // namespace

Figure scale_plot(const ScalePlotInput& input, float width, float height, const Theme& theme, const TextMeasure& measure) {
  Figure figure = begin_picture(tr("Why divide by √d"), width, height, theme);
  const Composer pen{figure, theme, measure};
  pen.text(0, 10, figure.title, 16, Font::words_bold, theme.text, Align::start, width);
  if (height >= kLowPlot)
    pen.text(0, 31,
             first_that_fits({tr("how much the weights still move when a score moves a little: the length of all derivatives "
                                 "(the Jacobian's norm)"),
                              tr("how far weights move: the length of all derivatives (the Jacobian's norm)")},
                             width, 13, Font::words, measure),
             13, Font::words, theme.secondary, Align::start, width);
  const PlotFrame frame = scale_frame(input, width, height);
  draw_scale_axes(input, frame, pen);
  for (const std::vector<double>& other : input.others)
    draw_norms(input, other, frame, with_alpha(theme.secondary, 0.4f), 1, pen);
  draw_norms(input, input.norms, frame, theme.info, 2, pen);
  draw_markers(input, frame, pen);
  pen.box(frame.plot, {0, 0, 0, 0}, {0, 0, 0, 0}, 0, 0, {Tag::column, 0, 0});
  std::vector<double> values = input.norms;
  std::vector<std::string> at;
  for (const std::vector<double>& other : input.others) values.insert(values.end(), other.begin(), other.end());
  for (const double factor : input.factors) at.push_back(range_number(factor));
  const auto columns = static_cast<std::int64_t>(input.factors.size());
  if (columns > 0)
    figure.data.push_back({"norm",
                           Tensor::of(values, {static_cast<std::int64_t>(values.size()) / columns, columns}),
                           {"query", "factor"},
                           {{}, at}});
  return figure;
}

double factor_at(const Figure& figure, const ScalePlotInput& input, Point at, bool clamped) {
  const PlotFrame frame = scale_frame(input, figure.width, figure.height);
  if (!clamped && !frame.plot.contains(at)) return 0;
  const double share = std::clamp(static_cast<double>((at.x - frame.plot.x) / frame.plot.w), 0.0, 1.0);
  return frame.low * std::pow(frame.high / frame.low, share);
}

float factors_apart(const Figure& figure, const ScalePlotInput& input, double a, double b) {
  const PlotFrame frame = scale_frame(input, figure.width, figure.height);
  return std::abs(frame.x(a) - frame.x(b));
}

}  // namespace headlight::figures
