// From a trace to the inputs of the layouts: one step of one head as a heatmap, one step of all heads as a grid. What belongs
// to a step's picture (axes, tokens, range, colour map, note) is decided here, without drawing anything.
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
  std::string colormap;     // empty: viridis for what lies between 0 and 1, the signed map otherwise
  bool transposed = false;  // keys down, queries across
};

// Padding is left out: rows and columns are the sentence's real tokens. Errors: an unknown step; a step that is no matrix of
// numbers (token ids); a sentence without tokens; those of Trace::values().
Result<HeatmapInput> step_input(const Trace& trace, const std::string& step, const StepView& view);

// `steps`: one name a layer, of steps with heads. too_large beyond 2 GB of pictures.
Result<GridInput> heads_input(const Trace& trace, const std::vector<std::string>& steps, const StepView& view);

}  // namespace headlight::figures
