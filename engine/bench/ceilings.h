// What a backend reaches at best on this machine: the yardstick beside every measured rate.
#pragma once

#include "engine/backends/backend.h"

namespace headlight::bench {

struct Ceilings {
  double flops = 0;  // operations a second of a large matrix product
  double bytes = 0;  // bytes a second, read plus written: copying far more than the caches hold
};
// Takes about a quarter of a second. The best of a few rounds: a ceiling, not an average.
Result<Ceilings> ceilings(backends::Backend& backend, const CancelToken& cancel);

}  // namespace headlight::bench
