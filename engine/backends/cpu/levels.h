// The instruction sets that the CPU backend was compiled for and that this processor has.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/backends/cpu/cpu_kernels.h"

namespace headlight::backends::cpu {

struct Level {
  std::string id;  // "baseline", "avx2", "avx512", "amx": the names HEADLIGHT_CPU_LEVEL accepts
  const Kernels* kernels = nullptr;
};
std::vector<Level> levels();  // narrowest first
const Kernels& widest_kernels();

// A CPU backend of this level. The program's own backend uses the widest level, or the level that HEADLIGHT_CPU_LEVEL names.
Result<std::shared_ptr<Backend>> make(std::string_view level);

}  // namespace headlight::backends::cpu
