// The losses of one or two trainings by step: thick lines for held-out examples, thin lines for training examples, and dotted
// lines for the loss of a model that knows one named fact about its examples and no more.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/text/grouped_number.h"

namespace headlight::figures {

struct LossChartInput {
  std::vector<double> steps;  // ascending, from 0
  struct Run {
    std::string label;                       // empty if there is one run
    std::vector<double> held_out, training;  // one loss for each of `steps`, in nats
  };
  std::vector<Run> runs;  // the first is amber, the second blue
  struct Level {
    std::string words;
    double loss = 0;
  };
  std::vector<Level> levels;
  std::int64_t shown = -1;  // index into `steps`, marked by a line; -1: none
  std::string title, x_axis, y_axis, held_out_words, training_words;
};
// The distance of the first and last step from the picture's edges, in points; a slider below the chart has the same margins.
inline constexpr float kLossLeft = 56, kLossRight = 14;
// Exactly `width` x `height` points, at least 240 x 120. data: one array [curve, step], the runs' held-out and training losses
// and then the levels. loss_chart(input, 640, 320, theme, measure) draws input.runs over input.steps.
Figure loss_chart(const LossChartInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The index of the step nearest to `at` in a figure that loss_chart() made of `input`; -1 outside the plot.
// loss_point_at(figure, input, {-100, -100}) gives -1.
std::int64_t loss_point_at(const Figure& figure, const LossChartInput& input, Point at);

}  // namespace headlight::figures
