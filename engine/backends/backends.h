// The backends that there are, in order: reference, cpu, cuda. Opens one by its id.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"

namespace headlight::backends {

struct Entry {
  std::string id, label, formula, source;
  Result<std::shared_ptr<Backend>> (*make)();  // an error says why it is not available here
};
const Registry<Entry>& registry();  // reference, cpu, cuda
// An entry's id, or "cuda:1", "cuda:tf32", "cuda:1:bf16", ... for other GPUs and precisions. Made once a process and shared.
Result<std::shared_ptr<Backend>> open(std::string_view id);
// `backend` with matrix products whose operands are rounded to bfloat16 and whose sums are float32; its precision() is "bf16".
// Null where it has none: the reference, a processor without AVX512-BF16.
std::shared_ptr<Backend> with_bfloat16_products(const Backend& backend);
std::vector<std::string> known_ids();  // what a document may name, here or on another machine
std::vector<Device> devices();         // all, with why for those not available

}  // namespace headlight::backends
