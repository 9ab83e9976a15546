// The losses of one or two trainings by step: thick what is held out, thin what is trained on; dotted the losses of a model that
// has found out so much and no more.
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
    std::string label;                       // empty where there is one run
    std::vector<double> held_out, training;  // one a step of `steps`
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
// Where the steps begin and end, from the picture's edges: a slider below it has the same.
inline constexpr float kLossLeft = 56, kLossRight = 14;
// Exactly `width` x `height`, at least 240 x 120. data: one array [curve, step], the runs' held-out and training losses and then
// the levels.
Figure loss_chart(const LossChartInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The index of the step nearest to `at`; -1 outside the plot.
std::int64_t loss_point_at(const Figure& figure, const LossChartInput& input, Point at);

}  // namespace headlight::figures
