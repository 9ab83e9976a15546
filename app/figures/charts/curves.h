// A line plot: one or several curves over a named axis, each with its own hue, and a legend above them. The numbers along both
// axes are round; an axis may be logarithmic, or have words (tokens) instead of numbers.
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
    std::vector<double> y;  // one per x, or fewer; NaN or infinite: a gap with a mark, which is counted (Tag::gap)
    int hue = -1;           // index into Theme::hues; -1: the curve's index decides, without amber
    bool dashed = false;    // for reference curves
    bool partial = false;   // NaN is what was not measured: a gap without a mark
  };
  std::vector<double> x;  // ascending; empty: 0, 1, 2, ...
  std::vector<Curve> curves;
  std::string title, x_axis, y_axis, note;                                  // a low plot leaves the name of its y axis out
  std::vector<std::string> x_words;                                         // one per x, instead of numbers
  bool x_log = false, y_log = false;                                        // logarithmic: values not above 0 are left out
  bool y_from_zero = false;                                                 // the axis includes 0 even if no curve comes near it
  double y_low = std::numeric_limits<double>::quiet_NaN(), y_high = y_low;  // NaN: chosen to fit the curves
  bool points = false;                                                      // a dot at each x
  std::int64_t hot = -1;                                                    // index of the highlighted x; -1: none
  float margin = 12;                                                        // left and right of the whole plot, in points
};
// Exactly `width` x `height` points, at least 120 x 90. Without a finite number the plot has axes and no curves. data: one array
// [curve, x]. curves(input, 480, 320, theme, measure) draws input.curves over input.x.
Figure curves(const CurvesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The index of the x nearest to `at` in a figure that curves() made of `input`; -1 outside the plot.
// curve_point_at(figure, input, {-100, -100}) gives -1.
std::int64_t curve_point_at(const Figure& figure, const CurvesInput& input, Point at);

// Round numbers (multiples of 1, 2 or 5 times a power of ten) within [low, high]: at most `most`, and at least two unless the
// range is empty. round_ticks(0, 10, 6) gives 0, 2, 4, 6, 8, 10.
std::vector<double> round_ticks(double low, double high, int most);
// Powers of ten within [low, high], thinned to about `most`; if there are fewer than two, the ends `low` and `high`.
// power_ticks(1, 1000, 4) gives 1, 10, 100, 1000.
std::vector<double> power_ticks(double low, double high, int most);

// The colour of curve `index` of a plot, for its CurvesInput::Curve::hue.
// curve_color(3, 0, theme) gives theme.hues[3]; curve_color(-1, 0, theme) gives theme.hues[1].
Color curve_color(int hue, std::size_t index, const Theme& theme);

}  // namespace headlight::figures
