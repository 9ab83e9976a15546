// Scaled dot-product attention of all heads of a batch, with the maps that are kept.
#pragma once

#include <array>
#include <cstdint>

#include "engine/operations/attention_fill.h"
#include "engine/operations/operation.h"

namespace headlight::operations {

// Per batch item and head (Vaswani et al. 2017, 3.2):
//   scores = q k^T; scaled = scores * scale; masked = mask ? scaled + bias : fill; weights = softmax(masked / temperature) over
//   keys; context = weights v.
// With `additive` (Bahdanau et al. 2015, A.1.2) scores = sum over d of a_d tanh(q_d + k_d) instead.
// in: q [B,h,N,d_k], k [B,h,M,d_k], v [B,h,M,d_v]; a [d_k] when additive; mask u8 when has_mask, then bias of the real type when
// has_bias, both of rank
//   4 with sizes 1 or [B,h,N,M]; then counter i32 [1] where dropout > 0.
// With `side_by_side` heads lie beside each other, as projections give them: q [B,N,h d_k], k [B,M,h d_k], v [B,M,h d_v], context
//   [B,N,h d_v]. Nothing has to be split and merged then; what is kept has the shapes below.
// out: context [B,h,N,d_v], then each kept one in this order: scores, scaled, masked, weights [B,h,N,M]. Nothing else is kept:
//   without any the fused form is used. k and v may have fewer heads (grouped queries): kv_heads divides heads, and query head i
//   reads key head i / (heads / kv_heads).
// While a model is trained, weights are dropped as in Dropout before they weigh the values; the kept ones are those before that.
// A fully masked row gives weights (and context) of all zeros under minus_infinity, uniform weights under minus_1e9.
struct Attention {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, d_k = 0, d_v = 0;
  std::int64_t kv_heads = 0;  // 0: as heads
  double scale = 1.0;
  double temperature = 1.0;
  MaskFill fill = MaskFill::minus_infinity;
  bool has_mask = false;
  bool has_bias = false;
  bool keep_scores = false, keep_scaled = false, keep_masked = false, keep_weights = false;
  double dropout = 0;
  std::uint64_t dropout_seed = 0;
  bool additive = false;
  bool side_by_side = false;

  std::int64_t key_heads() const { return kv_heads == 0 ? heads : kv_heads; }

  // The rows of batch item b and head h of `heads` in an array of `rows` rows an item and head, each `width` numbers wide: where
  // the first one is and how far it is to the next.
  struct Rows {
    std::int64_t first, step;
  };
  Rows rows_of(std::int64_t b, std::int64_t h, std::int64_t of_heads, std::int64_t rows, std::int64_t width) const {
    if (side_by_side) return {(b * rows * of_heads + h) * width, of_heads * width};
    return {(b * of_heads + h) * rows * width, width};
  }
};
template <>
const Kind& kind_of<Attention>();

// Elements to step per axis of [batch, head, query, key]; 0 on axes where the mask has size 1.
std::array<std::int64_t, 4> mask_strides(const Shape& shape);

}  // namespace headlight::operations
