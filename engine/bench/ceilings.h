// What a backend reaches at best on this machine: the yardstick beside every measured rate. A large matrix product, and copying
// far more than the caches hold (on a device, a sum of two large arrays, which moves three), take turns with the rows, so that a
// slow spell of the machine meets both; of their runs the fastest tenth counts, which is a ceiling and yet no single lucky run.
#pragma once

#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/bench/harness.h"

namespace headlight::bench {

struct Ceilings {
  double flops = 0;  // operations a second
  double bytes = 0;  // bytes a second, read plus written
};

// Rows "ceiling", "product" and "copy".
Result<std::vector<Contender>> ceiling_contenders(backends::Backend& backend, const CancelToken& cancel);
// Takes those rows out of what was measured and tells every other row of them.
void apply_ceilings(std::vector<Row>& rows);

// By themselves, in about a quarter of a second: to know what to expect of a device before anything is measured.
Result<Ceilings> ceilings(backends::Backend& backend, const CancelToken& cancel);

}  // namespace headlight::bench
