#include "engine/train/permutation.h"

namespace headlight::train {
namespace {

constexpr std::uint64_t kRounds = 4;

}  // namespace

Permutation::Permutation(std::uint64_t seed, std::string_view name, std::uint64_t epoch, std::int64_t count)
    : rng_(seed, name), epoch_(epoch), count_(static_cast<std::uint64_t>(count)) {
  while ((std::uint64_t{1} << (2 * half_)) < count_) ++half_;
}

std::int64_t Permutation::at(std::int64_t place) const {
  const std::uint64_t mask = (std::uint64_t{1} << half_) - 1;
  auto value = static_cast<std::uint64_t>(place);
  do {
    std::uint64_t left = value >> half_, right = value & mask;
    for (std::uint64_t round = 0; round < kRounds; ++round) {
      const std::uint64_t mixed = left ^ (rng_.bits(epoch_ * kRounds + round, right) & mask);
      left = right;
      right = mixed;
    }
    value = (left << half_) | right;
  } while (value >= count_);
  return static_cast<std::int64_t>(value);
}

}  // namespace headlight::train
