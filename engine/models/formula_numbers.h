// Numbers in the formulas of steps.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>

namespace headlight::models {

// number(0.17678) gives "0.1768", number(100000.0) gives "100000".
inline std::string number(double x) {
  char text[32];
  const bool whole = x == std::floor(x) && std::abs(x) < 1e9;
  std::snprintf(text, sizeof text, whole ? "%.0f" : "%.4g", x);
  return text;
}
inline std::string number(std::int64_t n) { return std::to_string(n); }

}  // namespace headlight::models
