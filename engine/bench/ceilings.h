// The best rates of a backend on this machine, to compare measured rates with: a large matrix product, and copying far more than
// the caches hold (on a device a sum of two large arrays, which moves three). They take turns with the rows, so that a slow
// moment of the machine affects both. The rate is that of the fastest tenth of the runs, so one lucky run does not decide it.
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
// Removes those rows from the results and writes their rates into every other row of the same backend.
void apply_ceilings(std::vector<Row>& rows);

// Measures them on their own, in about a quarter of a second: to know what to expect of a device beforehand.
Result<Ceilings> ceilings(backends::Backend& backend, const CancelToken& cancel);

}  // namespace headlight::bench
