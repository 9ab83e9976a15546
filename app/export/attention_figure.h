// One or several heads of one attention step as a picture in a file: heatmaps side by side, dots or arcs in one picture.
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
  std::string range = "fixed";      // how weights are coloured: fixed, own, row, log
  double arc_share = 0;             // as in choose_arcs()
  float width = 900, height = 820;  // the largest size, in points
};

// Errors: those of step_input(); dots and arcs for a step that is not a matrix of heads; arcs for anything but weights.
Result<Figure> attention_figure(const Trace& trace, const std::string& step, const AttentionView& view, const Theme& theme,
                                const TextMeasure& measure);

}  // namespace headlight::figures
