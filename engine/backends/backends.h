// The registry of backends, and opening a backend by its id.
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
// The variant of `backend` whose matrix products round their operands to bfloat16 and sum in float32; its precision() is "bf16".
// Null if there is no such variant: of the reference, or on a processor without AVX512-BF16.
std::shared_ptr<Backend> with_bfloat16_products(const Backend& backend);
std::vector<std::string> known_ids();  // the ids that a document may name, on this machine or another
std::vector<Device> devices();         // all devices; Device::why says why one is not available

}  // namespace headlight::backends
