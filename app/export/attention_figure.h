// One or several heads of one attention step as a file's picture: heatmaps beside each other, dots or arcs over each other.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/export/trace_figure.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::figures {

struct AttentionView {
  std::string kind = "heatmap";     // heatmap, dots, arcs
  std::vector<std::int64_t> heads;  // at least one
  StepView step;                    // its head is not read
  std::string range = "fixed";      // of weights: fixed, own, row, log
  double arc_share = 0;             // as choose_arcs()
  float width = 900, height = 820;  // the most, in points
};

// Errors: those of step_input(); a step that is no matrix of heads for dots and arcs; arcs of anything but weights.
Result<Figure> attention_figure(const Trace& trace, const std::string& step, const AttentionView& view, const Theme& theme,
                                const TextMeasure& measure);

}  // namespace headlight::figures
