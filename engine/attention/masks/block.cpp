#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {

Entry block() {
  Entry e;
  e.id = "block";
  e.label = "blocks";
  e.formula = "query i may attend to key j if floor(i / size) = floor(j / size): [1, 1, N, M]";
  e.source = "Qiu et al. 2020 (BlockBERT); Child et al. 2019";
  e.parameters = {token_count("size", 4, 1, "How many neighbouring tokens share a block; a query sees its own block only.")};
  e.role = Role::sparse;
  e.applies_to_encoder = true;
  e.example = {"2", {"11000", "11000", "00110", "00110"}};
  e.make = [](const Request& request, const Values& values, const Matrix*) -> Result<Tensor> {
    const std::int64_t size = whole(values, "size", 4);
    return by_cell(request, [size](std::int64_t i, std::int64_t j) { return i / size == j / size; });
  };
  return e;
}

}  // namespace headlight::masks
