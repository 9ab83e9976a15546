// How a published model turns queries and keys by their places: its base, the dimensions that turn, and what it does to read
// longer texts than it was first trained on.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace headlight::architectures {

struct Rope {
  // Su et al. 2021; Chen et al. 2023 (linear); bloc97 2023 (dynamic); Llama Team 2024 (llama3); Peng et al. 2023 (yarn); Ding et
  // al. 2024 (longrope).
  enum class Scaling { none, linear, dynamic, llama3, yarn, longrope };

  double base = 10000;
  std::int64_t turned = 0;  // dimensions of a head that turn, the first ones: an even number
  // d in base^(-2 i / d): the dimensions that were asked for, one fewer than `turned` where that is an odd number. 0: `turned`.
  std::int64_t asked = 0;
  double exponent_width() const { return static_cast<double>(asked > 0 ? asked : turned); }
  Scaling scaling = Scaling::none;
  double factor = 1;  // by which texts became longer
  double original_length = 0, longest = 0;
  double low_frequency = 1, high_frequency = 4;         // of llama3
  double beta_fast = 32, beta_slow = 1;                 // of yarn
  bool truncate = true;                                 // of yarn: its limits are whole numbers
  std::optional<double> magnitude, mscale, mscale_all;  // magnitude: "attention_factor"
  std::vector<double> short_factors, long_factors;      // of longrope, by pair
  std::vector<double> divisors;                         // by pair, as GGUF stores them; empty: none
  bool operator==(const Rope&) const = default;
  bool depends_on_length() const { return scaling == Scaling::dynamic || scaling == Scaling::longrope; }
};

// The angle in radians by which each pair turns from one place to the next, and by what the turned dimensions are multiplied.
struct Turning {
  std::vector<double> frequencies;
  double magnitude = 1;
};
// In a text of `tokens` tokens. turning_of({.base = 10000, .turned = 8}, 5).frequencies is {1, 0.1, 0.01, 0.001}.
Turning turning_of(const Rope& rope, std::int64_t tokens);

}  // namespace headlight::architectures
