#include <cstdlib>

#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {

Entry window() {
  Entry e;
  e.id = "window";
  e.label = "sliding window";
  e.formula = "query i may attend to key j if |i - j| <= size: [1, 1, N, M]";
  e.source = "Beltagy et al. 2020 (Longformer)";
  e.parameters = {token_count("size", 4, 1, "How many keys a query sees on each side of itself.")};
  e.role = Role::sparse;
  e.applies_to_encoder = true;
  e.example = {"1", {"11000", "11100", "01110", "00111"}};
  e.make = [](const Request& request, const Values& values, const Matrix*) -> Result<Tensor> {
    const std::int64_t size = whole(values, "size", 4);
    return by_cell(request, [size](std::int64_t i, std::int64_t j) { return std::abs(i - j) <= size; });
  };
  return e;
}

}  // namespace headlight::masks
