#include "app/figures/base/time_text.h"

#include <cstdio>

namespace headlight::figures {

std::string time_text(double seconds) {
  // Three digits: repeated measurements do not agree in more.
  char text[32];
  const bool micro = seconds < 0.9995e-3, milli = seconds < 0.9995;
  const double value = seconds * (micro ? 1e6 : milli ? 1e3 : 1);
  std::snprintf(text, sizeof text, "%.*f %s",
                value < 9.995   ? 2
                : value < 99.95 ? 1
                                : 0,
                value,
                micro   ? "µs"
                : milli ? "ms"
                        : "s");
  return text;
}

}  // namespace headlight::figures
