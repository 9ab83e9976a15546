// The counts of the Counting view, from its state and the document.
#pragma once

#include <array>

#include "app/figures/charts/curves.h"
#include "app/figures/counting/counting_figures.h"
#include "app/panels/shared/panel.h"

namespace headlight::panels {

// A size with a slider; the view's own value of it, and its place in ModelSizes.
struct CountingKnob {
  const char *id, *label;  // the label is English
  std::int64_t CountingView::*own;
  std::int64_t ModelSizes::*size;
  std::int64_t least, most;
};
const std::array<CountingKnob, 7>& counting_knobs();

struct CountingState {
  ModelSizes base;                  // without the person's own sizes
  figures::CountingInput input;     // the counted model
  bool own = false;                 // a size differs from `base`
  Status status;                    // why the model cannot be counted
  std::vector<ModelSizes> presets;  // the published models, then the document's
};
CountingState counting_state(const Context& context);

// Memory by length of the text, both axes logarithmic: the cache, one layer's maps, and the weights.
figures::CurvesInput memory_curves(const figures::CountingInput& input);

}  // namespace headlight::panels
