// Adam's state, for trainings that continue step by step.
#pragma once

#include <vector>

namespace headlight::recurrence {

// Adam (Kingma and Ba 2015) with beta 0.9 and 0.999. A gradient longer than 1 is scaled to length 1 first.
class AdamState {
 public:
  // move(numbers, {0.5}, 0.1) on the numbers {1} gives {0.9} in the first step.
  void move(std::vector<double>& numbers, const std::vector<double>& gradients, double rate);

 private:
  std::vector<double> mean_, square_;
  int steps_ = 0;
};

}  // namespace headlight::recurrence
