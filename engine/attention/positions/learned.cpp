#include <cmath>

#include "engine/attention/positions/position_entries.h"
#include "engine/core/rng.h"

namespace headlight::positions {

// The sandbox trains nothing: the table is drawn from the seed, with the mean square of the sinusoidal one, 1/2, so that the two
// can be compared. Values are float32 numbers, as all weights are.
Entry learned() {
  Entry e;
  e.id = "learned";
  e.label = "learned table (random here)";
  e.formula = "P[pos] = row pos of a table [length, d]; untrained: normal with variance 1/2";
  e.source = "Gehring et al. 2017; Vaswani et al. 2017, 3.5";
  e.random = true;
  e.make = [](std::int64_t length, std::int64_t d, std::uint64_t seed) {
    const Rng rng(seed, "parameters.position");
    Tensor table(DType::f64, {length, d}, {"position", "d_model"}, true);
    auto* cell = table.data<double>();
    for (std::int64_t pos = 0; pos < length; ++pos)
      for (std::int64_t j = 0; j < d; ++j)
        *cell++ = static_cast<float>(std::sqrt(0.5) * rng.normal(static_cast<std::uint64_t>(pos), static_cast<std::uint64_t>(j)));
    return table;
  };
  return e;
}

}  // namespace headlight::positions
