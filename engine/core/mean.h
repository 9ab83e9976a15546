// Mean: a mean over terms that come one by one, possibly none.
#pragma once

#include <cstdint>

namespace headlight {

struct Mean {
  double sum = 0;
  std::int64_t count = 0;
  void add(double x) {
    sum += x;
    ++count;
  }
  // The mean; `without` if there was no term. After add(1) and add(4) it is 2.5.
  double value(double without = 0) const { return count > 0 ? sum / static_cast<double>(count) : without; }
};

}  // namespace headlight
