// Dropout: a training sets random numbers to 0.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y = x / (1 - rate) where kept, 0 where dropped (Srivastava et al. 2014, "inverted"). The dropped places depend on seed, counter
// and place alone, so that the gradient and a repeated training drop the same places.
// in: x [rows, columns], counter i32 [1], another number in each training step.  out: y
struct Dropout {
  std::int64_t rows = 0, columns = 0;
  double rate = 0;
  std::uint64_t seed = 0;
};
template <>
const Kind& kind_of<Dropout>();

// The draws of one call: kept(i) is true where place i is kept.
class Draws {
 public:
  Draws(double rate, std::uint64_t seed, std::int32_t counter);
  // A mixture of the bits of place and key that changes half of them with each bit (the finalizer of MurmurHash3, Appleby 2008).
  bool kept(std::int64_t place) const {
    auto x = static_cast<std::uint32_t>(place) ^ key_;
    x ^= x >> 16;
    x *= 0x85ebca6bU;
    x ^= x >> 13;
    x *= 0xc2b2ae35U;
    x ^= x >> 16;
    return x >= threshold_;
  }

  std::uint32_t key() const { return key_; }
  std::uint32_t threshold() const { return threshold_; }

 private:
  std::uint32_t key_, threshold_;
};

}  // namespace headlight::operations
