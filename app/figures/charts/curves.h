// A line plot: one or several curves over one named axis, each with its own hue and a legend above them. Numbers along both
// axes are round; an axis may be logarithmic, or carry words (tokens) in place of numbers.
#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct CurvesInput {
  struct Curve {
    std::string label;
    std::vector<double> y;  // one for each x; NaN or infinite: a gap
    int hue = -1;           // of Theme::hues; -1: by its number, amber left out
    bool dashed = false;    // for what the others are compared with
  };
  std::vector<double> x;  // ascending; empty: 0, 1, 2, ...
  std::vector<Curve> curves;
  std::string title, x_axis, y_axis, note;  // the axes are always named
  std::vector<std::string> x_words;         // one for each x, instead of numbers
  bool x_log = false, y_log = false;        // what is not above 0 is left out
  bool y_from_zero = false;                 // 0 belongs to the axis even where no curve comes near it
  double y_low = std::numeric_limits<double>::quiet_NaN(), y_high = y_low;  // NaN: as the curves need
  bool points = false;                                                      // a dot at each x
  std::int64_t hot = -1;                                                    // the x that is lit; -1: none
  float margin = 12;                                                        // left and right of everything
};
// Exactly `width` x `height` points, at least 120 x 90. An input without a finite number gives axes without curves.
// data: one array [curve, x].
Figure curves(const CurvesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The index of the x nearest to `at` in a figure that curves() made of `input`; -1 outside the plot.
std::int64_t curve_point_at(const Figure& figure, const CurvesInput& input, Point at);

// Round numbers (1, 2, 5 times a power of ten) within [low, high], at most `most` and at least two where the range is not empty.
std::vector<double> round_ticks(double low, double high, int most);
// Powers of ten within [low, high] (thinned to `most`); the ends where there are fewer than two.
std::vector<double> power_ticks(double low, double high, int most);

// The colour that curve `index` of a plot is drawn with.
Color curve_color(int hue, std::size_t index, const Theme& theme);

}  // namespace headlight::figures
