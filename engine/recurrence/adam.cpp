#include "engine/recurrence/adam.h"

#include <cmath>

namespace headlight::recurrence {

void AdamState::move(std::vector<double>& numbers, const std::vector<double>& gradients, double rate) {
  constexpr double kMean = 0.9, kSquare = 0.999;
  double length = 0;
  for (const double g : gradients) length += g * g;
  length = std::sqrt(length);
  mean_.resize(numbers.size());
  square_.resize(numbers.size());
  ++steps_;
  const double mean_share = 1 - std::pow(kMean, steps_), square_share = 1 - std::pow(kSquare, steps_);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const double g = length > 1 ? gradients[i] / length : gradients[i];
    mean_[i] = kMean * mean_[i] + (1 - kMean) * g;
    square_[i] = kSquare * square_[i] + (1 - kSquare) * g * g;
    numbers[i] -= rate * (mean_[i] / mean_share) / (std::sqrt(square_[i] / square_share) + 1e-8);
  }
}

}  // namespace headlight::recurrence
