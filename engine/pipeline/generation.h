// The numbers that tell traces apart: caches key on them.
#pragma once

#include <atomic>
#include <cstdint>

namespace headlight {

inline std::uint64_t next_generation() {
  static std::atomic<std::uint64_t> last{0};
  return ++last;
}

}  // namespace headlight
