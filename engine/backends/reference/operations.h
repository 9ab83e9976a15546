// Every operation as plain loops in double: read these to learn what an operation is. Arrays are contiguous, C order, of the
// shapes that backend.h gives. Each returns false if `cancel` stopped it.
#pragma once

#include <cstdint>

#include "engine/backends/base/backend.h"

namespace headlight::backends::reference {

bool linear(const Linear& op, const double* x, const double* w, const double* bias, double* y, const CancelToken& cancel);
bool gather(const Gather& op, const double* table, const std::int32_t* ids, double* y, const CancelToken& cancel);
bool add(const Add& op, const double* a, const double* b, double* y, const CancelToken& cancel);
// beta: null where op.rms.
bool layer_norm(const LayerNorm& op, const double* x, const double* gamma, const double* beta, double* y,
                const CancelToken& cancel);
bool split_heads(const SplitHeads& op, const double* x, double* y, const CancelToken& cancel);
bool merge_heads(const MergeHeads& op, const double* x, double* y, const CancelToken& cancel);

// Null where an input is not given or an output is not kept.
struct AttentionArrays {
  const double *q = nullptr, *k = nullptr, *v = nullptr;
  const std::uint8_t* keep = nullptr;  // 1 = may attend
  const double* bias = nullptr;        // additive mask
  Shape mask_shape;
  double *context = nullptr, *scores = nullptr, *scaled = nullptr, *masked = nullptr, *weights = nullptr;
};
bool attention(const Attention& op, const AttentionArrays& arrays, const CancelToken& cancel);

// weights = softmax(scores / temperature) over `count` scores, in place allowed. All scores -inf: all weights 0.
void softmax(const double* scores, std::int64_t count, double temperature, double* weights);

struct IsdpaArrays {
  const double *f = nullptr, *p = nullptr;
  const double *wq = nullptr, *wk = nullptr, *wv = nullptr;     // [d,d], act on F's rows
  const double *pwq = nullptr, *pwk = nullptr, *pwv = nullptr;  // [d,d], act on P's rows
  const std::int32_t* ids = nullptr;
  double *q = nullptr, *k = nullptr, *v = nullptr;
  double *mm = nullptr, *mp = nullptr, *pm = nullptr, *pp = nullptr;
  double *qk = nullptr, *score = nullptr, *result = nullptr;
};
bool isdpa(const Isdpa& op, const IsdpaArrays& arrays, const CancelToken& cancel);

}  // namespace headlight::backends::reference
