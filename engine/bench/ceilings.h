// The best rates of a backend on this machine, to compare measured rates with: a large matrix product, and a copy of far more
// bytes than the caches hold (on a device a sum of two large arrays, which moves three). They take turns with the rows, so that a
// slow moment of the machine affects both. The rate is that of the fastest tenth of the runs, so that one lucky run does not
// decide it.
#pragma once

#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/bench/harness.h"

namespace headlight::bench {

struct Ceilings {
  double flops = 0;  // operations a second
  double bytes = 0;  // bytes a second, read plus written
};

// The rows "ceiling", "product" and "copy", to be measured with the others.
// ceiling_contenders(backend, cancel): two contenders.
Result<std::vector<Contender>> ceiling_contenders(backends::Backend& backend, const CancelToken& cancel);
// Removes the rows "ceiling" from the results and writes their rates into every other row of the same backend.
void apply_ceilings(std::vector<Row>& rows);

// Measures both rates on their own, in about a quarter of a second, to know the speed of a device beforehand.
// ceilings(backend, cancel): the backend's operations and bytes a second.
Result<Ceilings> ceilings(backends::Backend& backend, const CancelToken& cancel);

}  // namespace headlight::bench
