#include "engine/architectures/rope.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace headlight::architectures {
namespace {

// Frequencies between those that stay and those that are divided, by how often a pair turns within the original length (Llama
// Team 2024).
double llama3_frequency(const Rope& rope, double frequency) {
  const double wave = 2 * std::numbers::pi / frequency;
  if (wave < rope.original_length / rope.high_frequency) return frequency;
  if (wave > rope.original_length / rope.low_frequency) return frequency / rope.factor;
  const double part = (rope.original_length / wave - rope.low_frequency) / (rope.high_frequency - rope.low_frequency);
  return (1 - part) * frequency / rope.factor + part * frequency;
}

// The pair that makes `turns` turns within the original length (Peng et al. 2023, 3.2).
double yarn_pair(const Rope& rope, double turns) {
  return rope.exponent_width() * std::log(rope.original_length / (2 * std::numbers::pi * turns)) / (2 * std::log(rope.base));
}

double yarn_frequency(const Rope& rope, double frequency, double pair) {
  double low = yarn_pair(rope, rope.beta_fast), high = yarn_pair(rope, rope.beta_slow);
  if (rope.truncate) {
    low = std::floor(low);
    high = std::ceil(high);
  }
  low = std::max(low, 0.0);
  high = std::min(high, rope.exponent_width() - 1);
  if (low == high) high += 0.001;
  const double divided = std::clamp((pair - low) / (high - low), 0.0, 1.0);
  return frequency * (1 - divided) + frequency / rope.factor * divided;
}

double yarn_magnitude(const Rope& rope) {
  if (rope.magnitude) return *rope.magnitude;
  const auto grown = [&](double k) { return rope.factor <= 1 ? 1 : 1 + 0.1 * k * std::log(rope.factor); };
  if (rope.mscale.value_or(0) != 0 && rope.mscale_all.value_or(0) != 0) return grown(*rope.mscale) / grown(*rope.mscale_all);
  return grown(1);
}

double longrope_magnitude(const Rope& rope) {
  if (rope.magnitude) return *rope.magnitude;
  return rope.factor <= 1 ? 1 : std::sqrt(1 + std::log(rope.factor) / std::log(rope.original_length));
}

double base_of(const Rope& rope, std::int64_t tokens) {
  if (rope.scaling != Rope::Scaling::dynamic) return rope.base;
  const double length = std::max(static_cast<double>(tokens), rope.longest), d = rope.exponent_width();
  return rope.base * std::pow(rope.factor * length / rope.longest - (rope.factor - 1), d / (d - 2));
}

}  // namespace

Turning turning_of(const Rope& rope, std::int64_t tokens) {
  const double base = base_of(rope, tokens);
  const std::vector<double>& factors =
      static_cast<double>(tokens) > rope.original_length ? rope.long_factors : rope.short_factors;
  Turning turning;
  for (std::int64_t i = 0; i < rope.turned / 2; ++i) {
    const auto at = static_cast<std::size_t>(i);
    double frequency = std::pow(base, -2 * static_cast<double>(i) / rope.exponent_width());
    switch (rope.scaling) {
      case Rope::Scaling::none:
      case Rope::Scaling::dynamic: break;
      case Rope::Scaling::linear: frequency /= rope.factor; break;
      case Rope::Scaling::llama3: frequency = llama3_frequency(rope, frequency); break;
      case Rope::Scaling::yarn: frequency = yarn_frequency(rope, frequency, static_cast<double>(i)); break;
      case Rope::Scaling::longrope: frequency /= factors[at]; break;
    }
    turning.frequencies.push_back(rope.divisors.empty() ? frequency : frequency / rope.divisors[at]);
  }
  if (rope.scaling == Rope::Scaling::yarn) turning.magnitude = yarn_magnitude(rope);
  if (rope.scaling == Rope::Scaling::longrope) turning.magnitude = longrope_magnitude(rope);
  return turning;
}

}  // namespace headlight::architectures
