// Scaled dot-product attention of all heads of a batch, with any of its intermediate maps as further outputs.
#pragma once

#include <array>
#include <cstdint>

#include "engine/operations/attention_fill.h"
#include "engine/operations/operation.h"

namespace headlight::operations {

// Per batch item and head (Vaswani et al. 2017, 3.2):
//   scores = q k^T; scaled = scores * scale; masked = mask ? scaled + bias : fill; weights = softmax(masked / temperature) over
//   keys; context = weights v. With a score_cap c, scaled = c tanh(scores * scale / c) (Gemma Team 2024, 2).
// With `additive` (Bahdanau et al. 2015, A.1.2) scores = sum over d of a_d tanh(q_d + k_d) instead.
// in: q [B,h,N,d_k], k [B,h,M,d_k], v [B,h,M,d_v]; a [d_k] if additive; mask u8 if has_mask, then bias of the real type if
// has_bias, both of rank 4 with sizes 1 or [B,h,N,M]; then counter i32 [1] if dropout > 0.
// With `side_by_side` heads lie beside each other, as projections give them: q [B,N,h d_k], k [B,M,h d_k], v [B,M,h d_v], context
// [B,N,h d_v]. No operation has to split and merge heads then; the kept maps have the shapes below.
// out: context [B,h,N,d_v], then each kept map in this order: scores, scaled, masked, weights [B,h,N,M]. Without kept maps the
// fused form is used. k and v may have fewer heads (grouped queries): kv_heads divides heads, and query head i reads key head i /
// (heads / kv_heads).
// In a training, weights are dropped as in Dropout before they multiply the values; the kept weights are those before the
// dropout.
// A fully masked row gives weights (and context) of all zeros under minus_infinity, uniform weights under minus_1e9.
struct Attention {
  std::int64_t batch = 0, heads = 0, queries = 0, keys = 0, d_k = 0, d_v = 0;
  std::int64_t kv_heads = 0;  // 0: the number of `heads`
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
  double score_cap = 0;  // 0: none

  std::int64_t key_heads() const { return kv_heads == 0 ? heads : kv_heads; }

  // The rows of batch item b and head h of `of_heads` in an array of `rows` rows for each item and head, each `width` numbers
  // wide. `first` is the place of the first row, `step` the distance to the next one.
  struct Rows {
    std::int64_t first, step;
  };
  // rows_of(0, 1, 2, 5, 4): {20, 4} or, side by side, {4, 8}.
  Rows rows_of(std::int64_t b, std::int64_t h, std::int64_t of_heads, std::int64_t rows, std::int64_t width) const {
    if (side_by_side) return {(b * rows * of_heads + h) * width, of_heads * width};
    return {(b * of_heads + h) * rows * width, width};
  }
};
template <>
const Kind& kind_of<Attention>();

// The distance in elements to the next index of each axis [batch, head, query, key]; 0 on axes where the mask has size 1.
// mask_strides({1, 1, 8, 8}) gives {0, 0, 8, 1}.
std::array<std::int64_t, 4> mask_strides(const Shape& shape);

}  // namespace headlight::operations
