// A seeded order of [0, count) that is computed place by place, so that no state is kept or saved.
#pragma once

#include <cstdint>
#include <string_view>

#include "engine/core/rng.h"

namespace headlight::train {

// A Feistel network of four rounds (Luby and Rackoff 1988) over the smallest even number of bits that holds the range. A result
// outside the range goes through the network again. The order depends on seed, name, epoch and count alone.
class Permutation {
 public:
  // Permutation(1, "rows", 0, 5): at(0), ..., at(4) are the numbers 0 to 4 in some order.
  Permutation(std::uint64_t seed, std::string_view name, std::uint64_t epoch, std::int64_t count);
  std::int64_t at(std::int64_t place) const;  // every number of [0, count) once

 private:
  Rng rng_;
  std::uint64_t epoch_;
  std::uint64_t count_;
  unsigned half_ = 1;  // bits of each half
};

}  // namespace headlight::train
