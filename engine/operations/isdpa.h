// Index-based attention: look-ups in tables give the same numbers as products of matrices.
#pragma once

#include <cstdint>

#include "engine/operations/operation.h"

namespace headlight::operations {

// Index-based attention (S1, S2, S3) over W words of l symbols. It is one descriptor and not a chain of small operations.
// in: F [n,d], P [l,d], WQ, WK, WV [d,d], then PWQ, PWK, PWV [d,d] if separate_position_weights, ids i32 [W,l].
// out, each if kept, in this order: Q, K, V [W,l,d]; mm, mp, pm, pp [W,l,l]; qk [W,l,l]; score [W,l]; result [W,d]. With several
// heads, head i owns columns i d_k .. (i+1) d_k, d_k = d / heads, and squares and scores have a head axis: [W,h,l,l], [W,h,l].
// score = mean over queries of softmax(QK^T / sqrt(d_k)); result = sum over keys of score V. qk is the raw Q K^T, before scale
// and padding. A word of padding alone has a score and a result of zeros.
// Not pooled (the ordinary layer): score is the softmax itself, [W,l,l], and result [W,l,d] = softmax V.
struct Isdpa {
  enum class Method {
    index,          // index first: MetaX = F W, PosX = P W, then look-ups
    direct,         // as written: X = F[ids] + P, Q, K, V = X W, then products
    direct_pooled,  // as direct, but pools before the value product: result = (score X) WV, the same by linearity
    // Further exact ways without tables. They keep qk, score and result only, and need the same weights for F and P. The folded
    // ways are for the pooled layer.
    direct_folded,  // as direct_pooled, with QK^T = (X WQ WK^T) X^T: one projection less; a single head
    // As direct_pooled, but each distinct row of X (symbol and position) is projected once. In the layer that is not pooled the
    // distinct rows of Q, K and V are.
    direct_distinct,
    direct_distinct_folded,  // direct_folded and direct_distinct together
    // As direct, through the backend's fused attention kernel, whose output rows are pooled: the same by linearity. On the host,
    // and where qk or score is kept, it is computed as direct.
    direct_attention,
  };
  static bool is_shortcut(Method method) { return method >= Method::direct_folded; }
  static bool is_folded(Method method) { return method == Method::direct_folded || method == Method::direct_distinct_folded; }
  std::int64_t d_k() const { return d / heads; }
  std::int64_t words = 0, length = 0, vocabulary = 0, d = 0;
  std::int64_t heads = 1;
  bool pooled = true;
  Method method = Method::index;
  bool separate_position_weights = false;
  std::int64_t pad_index = -1;  // >= 0: keys with this symbol are masked, and queries with it leave the mean
  // The Plan may keep arrays that are made from F, P and the weights alone (tables, folded weights, projected rows) between calls
  // with the same F, P and weights.
  bool cached = false;
  bool keep_q = false, keep_k = false, keep_v = false;
  bool keep_terms = false, keep_qk = false, keep_score = false, keep_result = true;
};
template <>
const Kind& kind_of<Isdpa>();

}  // namespace headlight::operations
