// Index-based attention as its formula says: X = F[ids] + P, its projections, products, softmax, values. It works on a tile of
// words at a time, so that intermediate results that are not outputs stay in the cache.
#include "engine/backends/cpu/cpu_isdpa_parts.h"
#include "engine/operations/isdpa.h"

namespace headlight::backends::cpu {
namespace {

// One thread's memory for the tile of words it works on.
struct DirectWorkspace {
  Scratch inputs;     // [tile l, d]: X, or F[ids] alone where the positions have weights of their own
  Scratch projected;  // [3][tile l, d]: Q, K and V, where they are not outputs
  Scratch small;      // one word's: scores [l, l], a row of sums [l], weights [l, l], then three times [l, d] for its terms
  Scratch packed;     // one word's K or V as multiply_packed takes it
};

// One call, and what all of its tiles share. d_k is the width of a head.
struct DirectWords {
  const Kernels& kernels;
  const Isdpa& op;
  const IsdpaArrays& a;
  const CancelToken& cancel;
  std::int64_t tile;                          // words that are projected together
  std::int64_t packed_weight;                 // floats from one packed weight to the next
  const float *packed_weights, *positions;    // [6][packed_weight]; [3][l, d]: P's own projections
  float *pooled_scores, *pooled_x = nullptr;  // [W, h, l]; [W, h, d]: pooled rows of X, null if V is projected before the pooling
  WordTables tables = word_tables(op);

  bool pools_first() const { return op.method == Isdpa::Method::direct_pooled; }
  bool wants(int i) const {  // Q, K or V
    return a.qkv[i] || (i < 2 ? needs_scores(a) : a.result && !pools_first());
  }
  // The words from `first` up to `last`, at most `tile` of them.
  void compute(std::int64_t first, std::int64_t last, DirectWorkspace& work) const;

 private:
  void gather(std::int64_t first, std::int64_t rows, float* to) const;
  void project(int i, std::int64_t rows, const float* in, float* to) const;
  void attend(std::int64_t word, const float* x, const float* const (&qkv)[3], DirectWorkspace& work) const;
  void separate_terms(std::int64_t word, DirectWorkspace& work) const;
};

// to [rows, d]: the inputs of the projections, from the rows of word `first` on. With one weight matrix X = F[ids] + P is
// projected; with two, F[ids] is, and P's projection is added afterwards.
void DirectWords::gather(std::int64_t first, std::int64_t rows, float* to) const {
  const std::int64_t l = op.length, d = op.d;
  for (std::int64_t r = 0; r < rows; ++r) {
    const float* f = a.f + a.ids[first * l + r] * d;
    if (op.separate_position_weights) {
      std::copy_n(f, d, to + r * d);
    } else {
      kernels.add(f, a.p + r % l * d, d, to + r * d);
    }
  }
}

// to [rows, d]: Q (i = 0), K (1) or V (2) of a tile's gathered rows.
void DirectWords::project(int i, std::int64_t rows, const float* in, float* to) const {
  const std::int64_t l = op.length, d = op.d;
  multiply_packed(kernels, rows, d, d, in, d, packed_weights + i * packed_weight, to, d);
  if (!op.separate_position_weights) return;
  for (std::int64_t r = 0; r < rows; ++r) kernels.add(to + r * d, positions + (i * l + r % l) * d, d, to + r * d);
}

// Scores, softmax and result of one word, head by head. x and qkv: the word's own rows [l, d].
void DirectWords::attend(std::int64_t word, const float* x, const float* const (&qkv)[3], DirectWorkspace& work) const {
  const std::int64_t l = op.length, d = op.d, d_k = op.d_k();
  float* const square = work.small.floats(0);
  float* const sums = square + l * l;
  float* const own_weights = sums + l;
  for (std::int64_t h = 0; h < op.heads; ++h) {
    float* const qk = a.qk ? square_of(op, a.qk, word, h) : square;
    float* const score = scores_of(op, pooled_scores, word, h);
    float* const soft = op.pooled ? nullptr : a.score ? square_of(op, a.score, word, h) : own_weights;
    times_transposed(kernels, qkv[0] + h * d_k, qkv[1] + h * d_k, l, l, d_k, d, work.packed, qk);
    kernels.pool(qk, a.ids + word * l, tables, sums, soft, score);
    if (!a.result) continue;
    if (!op.pooled) {
      weigh_values(kernels, op, h, soft, qkv[2], work.packed, a.result + word * l * d);
    } else if (pools_first()) {
      kernels.weighted_sum(score, x, l, d, d, false, pooled_x + (word * op.heads + h) * d);
    } else {
      kernels.weighted_sum(score, qkv[2] + h * d_k, l, d, d_k, false, a.result + word * d + h * d_k);
    }
  }
}

// The four terms of one word. They need the projections of its symbols without the positions, which are computed here.
void DirectWords::separate_terms(std::int64_t word, DirectWorkspace& work) const {
  const std::int64_t l = op.length, d = op.d;
  const std::int32_t* const ids = a.ids + word * l;
  float* const symbols = work.small.floats(0) + 2 * l * l + l;  // behind what attend() uses
  float* const content_q = symbols + l * d;
  float* const content_k = content_q + l * d;
  for (std::int64_t i = 0; i < l; ++i) std::copy_n(a.f + ids[i] * d, d, symbols + i * d);
  multiply_packed(kernels, l, d, d, symbols, d, packed_weights, content_q, d);
  multiply_packed(kernels, l, d, d, symbols, d, packed_weights + packed_weight, content_k, d);
  word_terms(kernels, op, a, word, content_q, content_k, positions, positions + l * d, work.packed);
}

void DirectWords::compute(std::int64_t first, std::int64_t last, DirectWorkspace& work) const {
  const std::int64_t l = op.length, d = op.d, rows = (last - first) * l;
  float* const in = work.inputs.floats(tile * l * d);
  gather(first, rows, in);
  float* const own = work.projected.floats(3 * tile * l * d);
  float* qkv[3];
  for (int i = 0; i < 3; ++i) {
    qkv[i] = a.qkv[i] ? a.qkv[i] + first * l * d : own + i * tile * l * d;
    if (wants(i) && !cancel.cancelled()) project(i, rows, in, qkv[i]);
  }
  if (!needs_scores(a)) return;
  work.small.floats(2 * l * l + l + 3 * l * d);
  for (std::int64_t w = first; w < last && !cancel.cancelled(); ++w) {
    const std::int64_t at = (w - first) * l * d;
    attend(w, in + at, {qkv[0] + at, qkv[1] + at, qkv[2] + at}, work);
    if (a.terms[0]) separate_terms(w, work);
  }
}

}  // namespace

// Packs WQ, WK and WV, and projects P by its own weights, where its projections alone are needed. False if cancelled.
bool IsdpaState::Direct::pack_weights(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, const CancelToken& cancel) {
  const std::int64_t l = op.length, d = op.d, size = packed_size(kernels, d, d);
  float* const packs = packed.floats(6 * size);
  float* const positions = position.floats(3 * l * d);
  const auto pack_one = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      if (i < 3) {
        pack(kernels, a.w[i], d, false, d, d, packs + i * size);
      } else if (op.separate_position_weights || a.terms[0]) {
        pack(kernels, a.position_w[i - 3], d, false, d, d, packs + i * size);
        multiply_packed(kernels, l, d, d, a.p, d, packs + i * size, positions + (i - 3) * l * d, d);
      }
    }
  };
  return parallel_for(6, 1, pack_one, cancel);
}

Status IsdpaState::Direct::run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready,
                               const CancelToken& cancel) {
  const std::int64_t l = op.length, d = op.d, d_k = op.d_k(), heads = op.heads;
  if (!ready && !pack_weights(kernels, op, a, cancel)) return cancelled();
  DirectWords words{.kernels = kernels,
                    .op = op,
                    .a = a,
                    .cancel = cancel,
                    .tile = std::max<std::int64_t>(1, 192 / l),
                    .packed_weight = packed_size(kernels, d, d),
                    .packed_weights = packed.floats(0),
                    .positions = position.floats(0),
                    .pooled_scores = op.pooled && a.score ? a.score : scores.floats(op.words * heads * l)};
  const bool pools_first = words.pools_first() && a.result;
  if (pools_first) words.pooled_x = pooled.floats(op.words * heads * d);
  const auto body = [&](std::int64_t first, std::int64_t last) {
    thread_local DirectWorkspace work;
    words.compute(first, last, work);
  };
  if (!over_words(op.words, words.tile, cancel, body)) return cancelled();
  if (!pools_first) return {};
  if (!project_pooled(kernels, op, words.pooled_x, a.w[2], a.result, cancel)) return cancelled();
  for (std::int64_t w = 0; op.separate_position_weights && w < op.words; ++w) {
    for (std::int64_t h = 0; h < heads; ++h) {
      kernels.weighted_sum(scores_of(op, words.pooled_scores, w, h), words.positions + 2 * l * d + h * d_k, l, d, d_k, true,
                           a.result + w * d + h * d_k);
    }
  }
  return {};
}

}  // namespace headlight::backends::cpu
