#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {

Entry custom() {
  Entry e;
  e.id = "custom";
  e.label = "own matrix";
  e.formula = "query i may attend to key j if the matrix says 1; cells outside the matrix may attend: [1, 1, N, M]";
  e.source = "Vaswani et al. 2017, 3.2.3 (illegal connections set to -∞)";
  e.example = {"", {"10111", "00111", "11111", "11111"}};
  e.make = [](const Request& request, const Values&, const Matrix* matrix) -> Result<Tensor> {
    if (!matrix)
      return invalid("the mask 'custom' needs a matrix and there is none")
          .at("custom_mask")
          .mend("paint one or give --custom-mask 100/110/111");
    if (static_cast<std::int64_t>(matrix->values.size()) != matrix->queries * matrix->keys)
      return invalid("the matrix holds {} values for {} queries and {} keys", matrix->values.size(), matrix->queries,
                     matrix->keys)
          .at("custom_mask")
          .mend("give queries x keys values");
    return by_cell(request, [matrix](std::int64_t i, std::int64_t j) {
      return i >= matrix->queries || j >= matrix->keys || matrix->values[static_cast<std::size_t>(i * matrix->keys + j)] != 0;
    });
  };
  return e;
}

}  // namespace headlight::masks
