// What the Counting view counts, from its state and the document.
#pragma once

#include <array>

#include "app/figures/charts/curves.h"
#include "app/views/counting/pictures.h"
#include "app/views/counting/state.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight::views::counting {

// A size with a slider; the view's own value of it, and its place in ModelSizes.
struct Knob {
  const char *id, *label;  // the label is English
  std::int64_t State::*own;
  std::int64_t ModelSizes::*size;
  std::int64_t least, most;
};
const std::array<Knob, 7>& knobs();

struct Counted {
  ModelSizes base;                  // without the person's own sizes
  CountingInput input;              // the counted model
  bool own = false;                 // a size differs from `base`
  Status status;                    // why the model cannot be counted
  std::vector<ModelSizes> presets;  // the published models, then the document's
};
// `trace`: of the document; null: not computed yet.
Counted counted(const State& state, const Document& document, const Trace* trace);

// Memory by length of the text, both axes logarithmic: the cache, one layer's maps, and the weights.
figures::CurvesInput memory_curves(const CountingInput& input);

}  // namespace headlight::views::counting
