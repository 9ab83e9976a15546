#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {

Entry causal() {
  Entry e;
  e.id = "causal";
  e.label = "causal (no peeking)";
  e.formula = "query i may attend to key j if j <= i: [1, 1, N, M], diagonal visible";
  e.source = "Vaswani et al. 2017, 3.2.3";
  e.example = {"", {"10000", "11000", "11100", "11110"}};
  e.make = [](const Request& request, const Values&, const Matrix*) -> Result<Tensor> {
    return by_cell(request, [](std::int64_t i, std::int64_t j) { return j <= i; });
  };
  return e;
}

}  // namespace headlight::masks
