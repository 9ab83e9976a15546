// Multi-head attention written as a loop over its heads, beside the single product with one reshape by which the model computes
// it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct HeadLoop {
  std::int64_t heads = 0, d_model = 0, d_k = 0;
  double largest = 0;           // the largest absolute value in the model's own result
  double difference = 0;        // the largest |number of the loop - same number of the model|
  std::vector<double> by_head;  // this difference within each head's columns
};

// Each head h has its own matrices, columns h d_k .. (h + 1) d_k of W_q, W_k and W_v [d_model, heads d_k] and of the biases:
// head_h = softmax(mask((x W_q,h + b_q,h)(y W_k,h + b_k,h)^T scale)) (y W_v,h + b_v,h), in double. It is compared with columns h
// d_k .. (h + 1) d_k of the site's `concat` (Vaswani et al. 2017, 3.2.2). Rotary positions turn both rows before the product, by
// the model's own angles; where query heads share key heads, head h reads the columns of its key head. Errors (unavailable): the
// attention has no projections, a score that is no product, positions in its scores, or an intervention; the trace's own errors;
// cancelled. heads_one_by_one(*trace, trace->sites()[0]): difference is the largest rounding error of the first attention.
Result<HeadLoop> heads_one_by_one(const Trace& trace, const AttentionSite& site, const CancelToken& cancel = {});

}  // namespace headlight
