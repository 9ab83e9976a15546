// Turns one step of a trace into the input of a layout: one head as a heatmap, all heads as a grid. Here it is decided what a
// step's picture shows (axes, tokens, range, colour map, note); nothing is drawn.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::figures {

struct StepView {
  std::int64_t batch = 0, head = 0;
  std::string colormap;     // empty: viridis for values between 0 and 1, otherwise the signed map
  bool transposed = false;  // rows are keys, columns are queries
  bool turned = false;      // rows and columns of any other matrix are exchanged
};

// Padding is left out: rows and columns are the sentence's real tokens. Errors: an unknown step; a step that is not a matrix of
// numbers (token ids); a sentence without tokens; those of Trace::values().
Result<HeatmapInput> step_input(const Trace& trace, const std::string& step, const StepView& view);

// `steps`: one name per layer, of steps with heads. Error too_large beyond 2 GB of pictures.
Result<GridInput> heads_input(const Trace& trace, const std::vector<std::string>& steps, const StepView& view);

}  // namespace headlight::figures
