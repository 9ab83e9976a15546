#include <cstdlib>

#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {

// A sliding window with holes: as many keys as `window`, but `dilation` times as far apart. Dilation 1 is `window`.
Entry dilated() {
  Entry e;
  e.id = "dilated";
  e.label = "dilated window";
  e.formula = "query i may attend to key j if |i - j| <= size * dilation and (i - j) mod dilation = 0: [1, 1, N, M]";
  e.source = "Beltagy et al. 2020 (Longformer), 3.1; Child et al. 2019 (strided)";
  e.parameters = {token_count("size", 2, 1, "How many keys a query sees on each side of itself."),
                  token_count("dilation", 2, 1,
                              "The distance between neighbouring keys that are seen: 1 is a plain sliding window, larger ones "
                              "reach further for the same cost.")};
  e.role = Role::sparse;
  e.applies_to_encoder = true;
  e.example = {"1/2", {"10100", "01010", "10101", "01010"}};
  e.make = [](const Request& request, const Values& values, const Matrix*) -> Result<Tensor> {
    const std::int64_t size = whole(values, "size", 2), dilation = std::max<std::int64_t>(1, whole(values, "dilation", 2));
    return by_cell(request, [reach = size * dilation, dilation](std::int64_t i, std::int64_t j) {
      return std::abs(i - j) <= reach && (i - j) % dilation == 0;
    });
  };
  return e;
}

}  // namespace headlight::masks
