// Floating-point operations and bytes of an operation, counted from its sizes.
#pragma once

#include "engine/backends/base/backend.h"

namespace headlight::bench {

struct Cost {
  double flops = 0;  // a multiply-add is 2; exp, division and comparison are 1
  double bytes = 0;  // what is needed of every input read once, every output written once: what no implementation can avoid
  Cost& operator+=(const Cost& other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

// `tables_ready`: for a cached Isdpa, what is kept (tables, folded weights, projected rows) is there already and not counted.
Cost cost_of(const backends::OpDesc& desc, DType real, bool tables_ready = false);

}  // namespace headlight::bench
