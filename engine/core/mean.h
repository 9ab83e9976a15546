// A mean whose terms may be missing.
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
  double value(double without = 0) const { return count > 0 ? sum / static_cast<double>(count) : without; }
};

}  // namespace headlight
