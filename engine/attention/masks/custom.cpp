#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {

Entry custom() {
  Entry e;
  e.id = "custom";
  e.label = "own matrix";
  e.formula = "query i may attend to key j if the matrix says 1; cells outside the matrix may attend: [1, 1, N, M]";
  e.source = "Vaswani et al. 2017, 3.2.3 (illegal connections set to -∞)";
  e.example = {"", {"10111", "00111", "11111", "11111"}};
  e.translations = {{"zh", "own matrix", "自定义矩阵"},
                    {"zh", "query i may attend to key j if the matrix says 1; cells outside the matrix may attend: [1, 1, N, M]",
                     "若矩阵为 1,查询 i 可注意键 j;矩阵之外的单元格可以注意:[1, 1, N, M]"}};
  e.make = [](const Request& request, const Values&, const Matrix* matrix) -> Result<Tensor> {
    if (!matrix)
      return invalid("the mask 'custom' needs a matrix and there is none", "custom_mask",
                     "paint one or give --custom-mask 100/110/111");
    if (static_cast<std::int64_t>(matrix->values.size()) != matrix->queries * matrix->keys)
      return invalid("the matrix holds " + std::to_string(matrix->values.size()) + " values for " +
                         std::to_string(matrix->queries) + " queries and " + std::to_string(matrix->keys) + " keys",
                     "custom_mask", "give queries x keys values");
    return by_cell(request, [matrix](std::int64_t i, std::int64_t j) {
      return i >= matrix->queries || j >= matrix->keys || matrix->values[static_cast<std::size_t>(i * matrix->keys + j)] != 0;
    });
  };
  return e;
}

}  // namespace headlight::masks
