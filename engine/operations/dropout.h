// Dropout: numbers are left out at random while a model is trained.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// y = x / (1 - rate) where kept, 0 where dropped (Srivastava et al. 2014, "inverted"). Which ones are dropped depends on seed,
// counter and place alone, so that the gradient and a repeated training drop the same.
// in: x [rows, columns], counter i32 [1], another one each training step.  out: y
struct Dropout {
  std::int64_t rows = 0, columns = 0;
  double rate = 0;
  std::uint64_t seed = 0;
};
template <>
const Kind& kind_of<Dropout>();

// Draws for one call: kept(i) says of place i.
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
