#include "engine/attention/masks/mask_entries.h"

namespace headlight::masks {

Entry prefix() {
  Entry e;
  e.id = "prefix";
  e.label = "prefix, then causal";
  e.formula = "query i may attend to key j if j < length or j <= i: [1, 1, N, M]";
  e.source = "Raffel et al. 2020 (T5), prefix language model";
  e.parameters = {
      token_count("length", 3, 0, "How many first tokens every query sees; after them a query sees only what came before it.")};
  e.example = {"2", {"11000", "11000", "11100", "11110"}};
  e.make = [](const Request& request, const Values& values, const Matrix*) -> Result<Tensor> {
    const std::int64_t length = whole(values, "length", 3);
    return by_cell(request, [length](std::int64_t i, std::int64_t j) { return j < length || j <= i; });
  };
  return e;
}

}  // namespace headlight::masks
