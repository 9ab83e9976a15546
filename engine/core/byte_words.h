// A number of bytes as people read it: "3.1 GB".
#pragma once

#include <cstdio>
#include <string>

namespace headlight {

inline std::string byte_words(double bytes) {
  static constexpr const char* units[] = {"bytes", "kB", "MB", "GB", "TB", "PB"};
  std::size_t unit = 0;
  while (bytes >= 1000 && unit + 1 < std::size(units)) {
    bytes /= 1000;
    ++unit;
  }
  char text[32];
  std::snprintf(text, sizeof text, unit == 0 || bytes >= 100 ? "%.0f %s" : "%.1f %s", bytes, units[unit]);
  return text;
}

}  // namespace headlight
