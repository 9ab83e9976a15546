// Counter-based random numbers: a number depends on its stream, row and column alone. One row of a table can thus be made without
// the others, in any order, on any thread, with the same bits on every platform.
#pragma once

#include <cstdint>
#include <string_view>

namespace headlight {

class Rng {
 public:
  // The stream of one named tensor ("layer.0.wq") under one seed.
  Rng(std::uint64_t seed, std::string_view tensor);

  // 64 uniformly distributed bits for (row, column). Rng(7, "layer.0.wq").bits(3, 5) is the same number in every run.
  std::uint64_t bits(std::uint64_t row, std::uint64_t column) const;
  // Uniform in [0, 1), 53 bits.
  double uniform(std::uint64_t row, std::uint64_t column) const;
  // Standard normal by Acklam's rational approximation of the inverse distribution function (relative error 1.15e-9). It uses +,
  // -, *, / and sqrt alone, and the build forbids contraction into fused multiply-adds in this file, so every platform gets the
  // same bits.
  double normal(std::uint64_t row, std::uint64_t column) const;

 private:
  std::uint64_t key_;
};

}  // namespace headlight
