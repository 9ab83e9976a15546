// What the Counting view counts, from its state and the document.
#pragma once

#include <array>

#include "app/figures/charts/curves.h"
#include "app/figures/counting/counting_figures.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

// A size with a slider.
struct CountingKnob {
  const char *id, *label;  // the label is English
  std::int64_t CountingView::*own;
  std::int64_t ModelSizes::*size;
  std::int64_t least, most;
};
const std::array<CountingKnob, 7>& counting_knobs();

struct CountingState {
  ModelSizes base;                  // without sizes of one's own
  figures::CountingInput input;     // what is counted
  bool own = false;                 // a size differs from the base's
  Status status;                    // why it cannot be counted
  std::vector<ModelSizes> presets;  // the published ones, then the document's model
};
CountingState counting_state(const Context& context);

// Memory over the length of the text, both axes logarithmic: the cache, one layer's maps, and the weights.
figures::CurvesInput memory_curves(const figures::CountingInput& input);

}  // namespace headlight::panels
