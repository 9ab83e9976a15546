#include <cmath>

#include "engine/attention/positions/position_entries.h"

namespace headlight::positions {
namespace {

double sine_frequency(std::int64_t i, std::int64_t d) {
  return std::exp(-2.0 * static_cast<double>(i) * std::log(10000.0) / static_cast<double>(d));
}

}  // namespace

// PE[pos, 2i] = sin(pos w_i), PE[pos, 2i + 1] = cos(pos w_i), w_i = 10000^(-2i / d). An odd d ends with a sine.
Entry sinusoidal() {
  Entry e;
  e.id = "sinusoidal";
  e.label = "sinusoidal";
  e.formula = "PE[pos, 2i] = sin(pos w_i), PE[pos, 2i+1] = cos(pos w_i), w_i = 10000^(-2i/d)";
  e.source = "Vaswani et al. 2017, 3.5";
  e.frequency = sine_frequency;
  e.make = [](std::int64_t length, std::int64_t d, std::uint64_t) {
    Tensor table(DType::f64, {length, d}, {"position", "d_model"}, true);
    auto* cell = table.data<double>();
    std::vector<double> w(static_cast<std::size_t>((d + 1) / 2));
    for (std::size_t i = 0; i < w.size(); ++i) w[i] = sine_frequency(static_cast<std::int64_t>(i), d);
    for (std::int64_t pos = 0; pos < length; ++pos)
      for (std::int64_t j = 0; j < d; ++j) {
        const double angle = static_cast<double>(pos) * w[static_cast<std::size_t>(j / 2)];
        *cell++ = j % 2 == 0 ? std::sin(angle) : std::cos(angle);
      }
    return table;
  };
  return e;
}

}  // namespace headlight::positions
