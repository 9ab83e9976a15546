// Numbers in the formulas of steps.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

namespace headlight::models {

// number(0.17678) gives "0.1768".
inline std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4g", x);
  return text;
}
inline std::string number(std::int64_t n) { return std::to_string(n); }

}  // namespace headlight::models
