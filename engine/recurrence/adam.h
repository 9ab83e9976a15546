// Adam's state, for trainings that go on step by step.
#pragma once

#include <vector>

namespace headlight::recurrence {

// Adam (Kingma and Ba 2015) with beta 0.9 and 0.999, of gradients cut at length 1.
class AdamState {
 public:
  void move(std::vector<double>& numbers, const std::vector<double>& gradients, double rate);

 private:
  std::vector<double> mean_, square_;
  int steps_ = 0;
};

}  // namespace headlight::recurrence
