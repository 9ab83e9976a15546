// Index-based attention as its formula says: X = F[ids] + P, its projections, products, softmax, values. It works on a tile of
// words at a time, so that intermediate results that are not outputs stay in the cache.
#include "engine/backends/cpu/cpu_isdpa_parts.h"
#include "engine/operations/isdpa.h"

namespace headlight::backends::cpu {

Status IsdpaState::Direct::run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready,
                               const CancelToken& cancel) {
  const std::int64_t l = op.length, d = op.d, d_k = op.d_k(), heads = op.heads;
  const bool pooled_first = op.method == Isdpa::Method::direct_pooled;
  const bool wanted[] = {a.qkv[0] || needs_scores(a), a.qkv[1] || needs_scores(a), a.qkv[2] || (a.result && !pooled_first)};
  const bool separate = op.separate_position_weights;
  const bool apart = separate || a.terms[0];  // the projections of the positions alone are needed

  const std::int64_t size = packed_size(kernels, d, d);
  float* const packs = packed.floats(6 * size);
  float* const positions = position.floats(3 * l * d);
  const auto pack_weights = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (i < 3) {
        pack(kernels, a.w[i], d, false, d, d, packs + i * size);
      } else if (apart) {
        pack(kernels, a.position_w[i - 3], d, false, d, d, packs + i * size);
        multiply_packed(kernels, l, d, d, a.p, d, packs + i * size, positions + (i - 3) * l * d, d);
      }
    }
  };
  if (!ready && !parallel_for(6, 1, pack_weights, cancel)) return cancelled();

  const WordTables tables = word_tables(op);
  float* const pooled_scores = op.pooled && a.score ? a.score : scores.floats(op.words * heads * l);
  float* const pooled_x = pooled_first && a.result ? pooled.floats(op.words * heads * d) : nullptr;
  const std::int64_t tile = std::max<std::int64_t>(1, 192 / l);
  const auto body = [&](std::int64_t first, std::int64_t last) {
    thread_local Scratch inputs, projected, small, packed_word;
    const std::int64_t rows = (last - first) * l;
    // With one weight matrix X = F[ids] + P is projected; with two, F[ids] is, and P's projection is added.
    float* const in = inputs.floats(tile * l * d);
    for (std::int64_t r = 0; r < rows; ++r) {
      const float* f = a.f + a.ids[first * l + r] * d;
      if (separate) {
        std::copy_n(f, d, in + r * d);
      } else {
        kernels.add(f, a.p + r % l * d, d, in + r * d);
      }
    }
    float* const own = projected.floats(3 * tile * l * d);
    float* qkv[3];
    for (int i = 0; i < 3; ++i) {
      qkv[i] = a.qkv[i] ? a.qkv[i] + first * l * d : own + i * tile * l * d;
      if (!wanted[i] || cancel.cancelled()) continue;
      multiply_packed(kernels, rows, d, d, in, d, packs + i * size, qkv[i], d);
      for (std::int64_t r = 0; separate && r < rows; ++r) {
        kernels.add(qkv[i] + r * d, positions + (i * l + r % l) * d, d, qkv[i] + r * d);
      }
    }
    if (!needs_scores(a)) return;
    float* const work = small.floats(2 * l * l + l + 3 * l * d);
    float* const own_weights = work + l * l + l;
    for (std::int64_t w = first; w < last && !cancel.cancelled(); ++w) {
      const std::int64_t at = (w - first) * l * d;
      const std::int32_t* ids = a.ids + w * l;
      for (std::int64_t h = 0; h < heads; ++h) {
        float* const qk = a.qk ? square_of(op, a.qk, w, h) : work;
        float* const score = scores_of(op, pooled_scores, w, h);
        float* const soft = op.pooled ? nullptr : a.score ? square_of(op, a.score, w, h) : own_weights;
        times_transposed(kernels, qkv[0] + at + h * d_k, qkv[1] + at + h * d_k, l, l, d_k, d, packed_word, qk);
        kernels.pool(qk, ids, tables, work + l * l, soft, score);
        if (!a.result) continue;
        if (!op.pooled) {
          weigh_values(kernels, op, h, soft, qkv[2] + at, packed_word, a.result + w * l * d);
        } else if (pooled_first) {
          kernels.weighted_sum(score, in + at, l, d, d, false, pooled_x + (w * heads + h) * d);
        } else {
          kernels.weighted_sum(score, qkv[2] + at + h * d_k, l, d, d_k, false, a.result + w * d + h * d_k);
        }
      }
      if (!a.terms[0]) continue;
      float* const symbols = own_weights + l * l;
      float* const content_q = symbols + l * d;
      float* const content_k = content_q + l * d;
      for (std::int64_t i = 0; i < l; ++i) std::copy_n(a.f + ids[i] * d, d, symbols + i * d);
      multiply_packed(kernels, l, d, d, symbols, d, packs, content_q, d);
      multiply_packed(kernels, l, d, d, symbols, d, packs + size, content_k, d);
      word_terms(kernels, op, a, w, content_q, content_k, positions, positions + l * d, packed_word);
    }
  };
  if (!over_words(op.words, tile, cancel, body)) return cancelled();
  if (pooled_first && a.result) {
    if (!project_pooled(kernels, op, pooled_x, a.w[2], a.result, cancel)) return cancelled();
    for (std::int64_t w = 0; separate && w < op.words; ++w) {
      for (std::int64_t h = 0; h < heads; ++h) {
        kernels.weighted_sum(scores_of(op, pooled_scores, w, h), positions + 2 * l * d + h * d_k, l, d, d_k, true,
                             a.result + w * d + h * d_k);
      }
    }
  }
  return {};
}

}  // namespace headlight::backends::cpu
