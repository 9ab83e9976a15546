#include "engine/backends/cpu/cpu_attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "engine/backends/base/checks.h"
#include "engine/backends/cpu/gradient_kernels.h"
#include "engine/backends/cpu/mask_reach.h"
#include "engine/backends/cpu/products.h"
#include "engine/checkpoints/stored_type.h"
#include "engine/core/parallel.h"
#include "engine/operations/attention.h"
#include "engine/operations/dropout.h"

namespace headlight::backends::cpu {
namespace {

// Rows of queries per tile: a tile's scores stay within about half a megabyte, the second-level cache.
// Where rows end early, smaller tiles follow their ends more closely.
std::int64_t rows_of_tile(const Kernels& kernels, const Attention& op, bool ends_early) {
  if (is_small(op) && ends_early) return kernels.small_rows;
  const std::int64_t fit = (std::int64_t{1} << 17) / op.keys / kernels.row_multiple * kernels.row_multiple;
  return std::clamp<std::int64_t>(fit, kernels.row_multiple, (ends_early ? 4 : 8) * kernels.row_multiple);
}

struct Mask {
  std::array<std::int64_t, 4> step{}, bias_step{};
  float fill = 0;
};

// The first `count` keys of one row: scores -> scaled -> masked -> weights, each to its own array. `scores` may be the same array
// as any later one.
void attend_row(const Kernels& kernels, const Attention& op, const AttentionArrays& a, const Mask& mask, std::int64_t b,
                std::int64_t h, std::int64_t query, std::int64_t count, const float* scores, float* weights) {
  auto scale = static_cast<float>(op.scale);
  const std::int64_t at = ((b * op.heads + h) * op.queries + query) * op.keys;
  float* masked = a.masked ? a.masked + at : weights;
  if (op.score_cap > 0) {  // what follows reads scores that are scaled and capped already
    float* const capped = a.scaled ? a.scaled + at : masked;
    cap_row(kernels, scores, count, scale, static_cast<float>(op.score_cap), capped);
    scores = capped;
    scale = 1;
  } else if (a.scaled) {
    kernels.scale(scores, count, scale, a.scaled + at);
  }
  const auto row_of = [&](const std::array<std::int64_t, 4>& step) { return b * step[0] + h * step[1] + query * step[2]; };
  if (a.bias) {
    kernels.mask_add(scores, count, scale, a.bias + row_of(mask.bias_step), mask.bias_step[3], masked);
    if (a.keep) kernels.mask_keep(masked, count, 1, a.keep + row_of(mask.step), mask.step[3], mask.fill, masked);
  } else if (a.keep) {
    kernels.mask_keep(scores, count, scale, a.keep + row_of(mask.step), mask.step[3], mask.fill, masked);
  } else {
    kernels.scale(scores, count, scale, masked);
  }
  kernels.softmax(masked, count, static_cast<float>(1.0 / op.temperature), weights);
}

// scores [rows, seen], rows `op.keys` apart, of rows of q, `q_step` apart, with the packed keys.
void score_rows(const Kernels& kernels, const Attention& op, std::int64_t rows, std::int64_t seen, const float* q,
                std::int64_t q_step, const float* k, const float* a, float* scores) {
  if (!a) return multiply_packed(kernels, rows, op.d_k, seen, q, q_step, k, scores, op.keys);
  for (std::int64_t column = 0; column < seen; column += kernels.panel)
    kernels.additive_scores(rows, op.d_k, std::min(kernels.panel, seen - column), q, k + column * op.d_k, a, scores + column,
                            op.keys);
}

// The same with keys where they lie, `k_step` apart: of a few rows of q, for which packing would cost more than the products.
void score_few_rows(const Kernels& kernels, const Attention& op, std::int64_t rows, std::int64_t seen, const float* q,
                    std::int64_t q_step, const float* k, std::int64_t k_step, float* scores) {
  thread_local std::vector<const std::byte*> keys;
  keys.resize(static_cast<std::size_t>(seen));
  for (std::int64_t j = 0; j < seen; ++j) keys[static_cast<std::size_t>(j)] = reinterpret_cast<const std::byte*>(k + j * k_step);
  kernels.multiply_stored(rows, {checkpoints::StoredType::f32, op.d_k, seen, keys.data()}, q, q_step, nullptr, Activation::none,
                          scores, op.keys);
}

}  // namespace

bool attention(const Kernels& kernels, const Attention& op, const AttentionArrays& a, Scratch& packed,
               const CancelToken& cancel) {
  const std::int64_t kv_heads = op.kv_heads == 0 ? op.heads : op.kv_heads;
  const std::int64_t group = op.heads / kv_heads;
  Mask mask;
  if (op.has_mask) mask.step = mask_strides(a.mask_shape);
  if (op.has_bias) mask.bias_step = mask_strides(a.bias_shape);
  mask.fill = op.fill == MaskFill::minus_infinity ? -std::numeric_limits<float>::infinity() : -1e9f;

  // Keys (transposed) and values of every key/value head are packed once, for all its tiles. A few queries read them where they
  // lie, but not where maps are kept: rows that are computed again are the same bits in every number of rows.
  const bool keeps = a.scores || a.scaled || a.masked || a.weights;
  const bool few = op.queries <= kernels.stored_rows && !op.additive && !keeps;
  const std::int64_t k_size = few ? 0 : packed_size(kernels, op.d_k, op.keys);
  const bool packs_values = !few && !is_small(op);
  const std::int64_t v_size = packs_values ? packed_size(kernels, op.keys, op.d_v) : 0;
  const std::int64_t pairs = op.batch * kv_heads;
  float* const packs = packed.floats(pairs * (k_size + v_size));
  // Where scores and what becomes of them are kept, all of them are computed.
  const bool all = a.scores || a.scaled || a.masked;
  const MaskReach reach(op, all ? nullptr : a.keep, a.mask_shape);
  const std::int64_t tile_rows = rows_of_tile(kernels, op, reach.ends_early());
  const std::int64_t tiles = (op.queries + tile_rows - 1) / tile_rows;
  constexpr std::int64_t kTanh = 16;  // what a tanh costs, in multiply-adds
  const std::int64_t work = op.batch * op.heads * op.queries * op.keys * (op.d_k * (op.additive ? kTanh : 1) + op.d_v);
  const bool alone = work < (std::int64_t{1} << 19);  // too little work for a second thread

  const auto pack_pairs = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t pair = begin; pair < end && !cancel.cancelled(); ++pair) {
      float* const to = packs + pair * (k_size + v_size);
      const Attention::Rows k = op.rows_of(pair / kv_heads, pair % kv_heads, kv_heads, op.keys, op.d_k);
      const Attention::Rows v = op.rows_of(pair / kv_heads, pair % kv_heads, kv_heads, op.keys, op.d_v);
      pack(kernels, a.k + k.first, k.step, true, op.d_k, op.keys, to);
      if (packs_values) pack(kernels, a.v + v.first, v.step, false, op.keys, op.d_v, to + k_size);
    }
  };
  if (!few && !parallel_for(pairs, alone ? pairs : 1, pack_pairs, cancel)) return false;

  std::optional<Draws> draws;
  if (op.dropout > 0) draws.emplace(op.dropout, op.dropout_seed, a.counter);
  const auto factor = static_cast<float>(1 / (1 - op.dropout));
  const auto attend = [&](std::int64_t begin, std::int64_t end) {
    thread_local Scratch scratch;
    for (std::int64_t task = begin; task < end && !cancel.cancelled(); ++task) {
      const std::int64_t b = task / tiles / op.heads;
      const std::int64_t h = task / tiles % op.heads;
      const std::int64_t first = task % tiles * tile_rows;
      const std::int64_t rows = std::min(tile_rows, op.queries - first);
      const std::int64_t pair = b * kv_heads + h / group;
      const float* const k = packs + pair * (k_size + v_size);
      const std::int64_t row = (b * op.heads + h) * op.queries + first;
      float* const tile = a.scores && a.weights ? nullptr : scratch.floats(rows * op.keys);
      float* const scores = a.scores ? a.scores + row * op.keys : (a.weights ? a.weights + row * op.keys : tile);
      float* const weights = a.weights ? a.weights + row * op.keys : tile;
      const std::int64_t seen = reach.of_rows(b, h, first, rows);
      const Attention::Rows q = op.rows_of(b, h, op.heads, op.queries, op.d_k);
      const float* const queries = a.q + q.first + first * q.step;
      const Attention::Rows keys = op.rows_of(b, h / group, kv_heads, op.keys, op.d_k);
      if (few)
        score_few_rows(kernels, op, rows, seen, queries, q.step, a.k + keys.first, keys.step, scores);
      else
        score_rows(kernels, op, rows, seen, queries, q.step, k, a.a, scores);
      for (std::int64_t r = 0; r < rows; ++r) {
        // Rows of one length are quicker than shorter ones of different lengths, where a tile is so small.
        const std::int64_t count = is_small(op) ? seen : reach.of(b, h, first + r);
        float* const own = weights + r * op.keys;
        attend_row(kernels, op, a, mask, b, h, first + r, count, scores + r * op.keys, own);
        // A row with a NaN is all NaN, as softmax says.
        std::fill(own + count, own + op.keys, std::isnan(own[0]) ? own[0] : 0.0f);
      }
      const float* used = weights;
      if (draws) {
        float* const dropped = a.weights ? scratch.floats(rows * op.keys) : tile;
        kernels.gradients->drop(weights, rows * op.keys, row * op.keys, draws->key(), draws->threshold(), factor, dropped);
        used = dropped;
      }
      const Attention::Rows v = op.rows_of(b, h / group, kv_heads, op.keys, op.d_v);
      const Attention::Rows to = op.rows_of(b, h, op.heads, op.queries, op.d_v);
      float* const context = a.context + to.first + first * to.step;
      if (few) {
        for (std::int64_t r = 0; r < rows; ++r)
          kernels.weighted_sum(used + r * op.keys, a.v + v.first, seen, v.step, op.d_v, false, context + r * to.step);
        continue;
      }
      if (packs_values)
        multiply_packed_rows(kernels, rows, 0, seen, op.keys, op.d_v, used, op.keys, k + k_size, context, to.step);
      else
        kernels.multiply_small(rows, seen, op.d_v, used, op.keys, 1, a.v + v.first, v.step, false, context, to.step);
    }
  };
  const std::int64_t tasks = op.batch * op.heads * tiles;
  return parallel_for(tasks, alone ? tasks : 1, attend, cancel) && !cancel.cancelled();
}

}  // namespace headlight::backends::cpu
