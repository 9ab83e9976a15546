// Measured times as bars: the bar is the median, a whisker shows the 10th to 90th percentile, and each bar's error is beside it.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct TimingBarsInput {
  struct Bar {
    std::string label, precision;
    double median = 0, p10 = 0, p90 = 0;                           // in the axis's unit
    std::string error;                                             // "5.5e-8"; empty: none
    enum class Kind { subject, rival, plain } kind = Kind::rival;  // amber, blue, grey
    std::string factor = {};                                       // "84×", stands behind the time; empty: none
  };
  enum class Unit { seconds, operations };
  Unit unit = Unit::seconds;
  std::vector<Bar> bars;
  // Labels of bars that will join later. The picture keeps room for these labels, so that the other bars do not move.
  std::vector<std::string> labels_to_come;
  float row = 28;  // points from one bar to the next
  bool logarithmic = false;
  std::string note;
  struct Part {
    std::string label;
    double seconds = 0;
  };
  std::string parts_label;             // "where the time goes"
  std::vector<Part> parts;             // parts of the subject's time, side by side in one linear bar; none: no such bar
  std::string reached_label, reached;  // "achieved", "111 GFLOP/s (30 %)": a line of numbers; empty: none
  std::string reached_note;            // the meaning of `reached`, in quieter text
};
// `width` points wide, as high as its bars, with an axis and its ticks below them. data: [bar, (median, p10, p90)] in the axis's
// unit, the errors and the parts. timing_bars(input, 640, theme, measure) draws input.bars below each other.
Figure timing_bars(const TimingBarsInput& input, float width, const Theme& theme, const TextMeasure& measure);

// A time in three digits: time_text(12.4e-6) gives "12.4 µs", time_text(1.05e-3) "1.05 ms" and time_text(2.3) "2.30 s".
std::string time_text(double seconds);
std::string operations_text(double operations);  // "197 MFLOP", "25.7 GFLOP"

// A histogram of two sets of errors by power of ten.
struct ErrorBarsInput {
  std::vector<std::int64_t> first, second;  // counts per bin
  int lowest = -11, per_decade = 2;         // lowest: power of ten at which the first bin begins
  std::string first_label, second_label, axis, note;
  std::vector<std::string> lines;  // stand below the axis: the figures of each method
};
// Exactly `width` x `height` points. error_bars(input, 480, 240, theme, measure) draws both sets over one axis.
Figure error_bars(const ErrorBarsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
