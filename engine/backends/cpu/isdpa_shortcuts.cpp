// The layer of index-based attention without its index, but with every exact shortcut that plain algebra offers: what an engineer
// would write who knows that the output is pooled and that rows repeat. The index method has to beat these baselines.
//
//   pooled    result = (sum_j score_j X_j) WV: the value product over W rows instead of W l (as direct_pooled)
//   folded    Q K^T = (X WQ)(X WK)^T = (X WQ WK^T) X^T: one product of [d, d] more, one of [W l, d] less
//   distinct  X = F[ids] + P has at most n l different rows, and each is projected once; also for V if the layer does not pool
//
// With fixed weights (cached) the folded product is kept, and with `distinct` the projections of every symbol at every position.
#include <algorithm>
#include <numeric>
#include <unordered_map>
#include <vector>

#include "engine/backends/cpu/cpu_isdpa_parts.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/isdpa_rules.h"

namespace headlight::backends::cpu {
namespace {

// If symbols times positions exceed this, the pairs are numbered by a hash map instead of a table of 64 MiB.
constexpr std::int64_t kNumberedDirectly = std::int64_t{1} << 24;

}  // namespace

// Numbers the different (symbol, position) pairs in row_of. Returns for each pair the first of the W l places where it occurs.
std::vector<std::int64_t> IsdpaState::Shortcuts::find_distinct(const Isdpa& op, const std::int32_t* ids) {
  const std::int64_t l = op.length, cells = op.words * l;
  row_of.resize(static_cast<std::size_t>(cells));
  std::vector<std::int64_t> first;
  const auto number_cells = [&](auto&& slot_of) {
    for (std::int64_t i = 0; i < cells; ++i) {
      std::int32_t& row = slot_of(i);
      if (row < 0) {
        row = static_cast<std::int32_t>(first.size());
        first.push_back(i);
      }
      row_of[static_cast<std::size_t>(i)] = row;
    }
  };
  if (op.vocabulary * l <= kNumberedDirectly) {
    std::vector<std::int32_t> number(static_cast<std::size_t>(op.vocabulary * l), -1);
    number_cells([&](std::int64_t i) -> std::int32_t& { return number[static_cast<std::size_t>(ids[i] * l + i % l)]; });
  } else {
    std::unordered_map<std::int64_t, std::int32_t> number;
    number_cells([&](std::int64_t i) -> std::int32_t& { return number.try_emplace(ids[i] * l + i % l, -1).first->second; });
  }
  return first;
}

// Fills x, left and right for `pairs`; a pair is symbol * l + position. False if cancelled.
bool IsdpaState::Shortcuts::project_rows(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, const float* left_weight,
                                         const std::vector<std::int64_t>& pairs, const CancelToken& cancel) {
  const std::int64_t l = op.length, d = op.d;
  const auto rows = static_cast<std::int64_t>(pairs.size());
  float* const to = x.floats(rows * d);
  const auto fill = [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t r = begin; r < end; ++r) {
      const std::int64_t pair = pairs[static_cast<std::size_t>(r)];
      kernels.add(a.f + pair / l * d, a.p + pair % l * d, d, to + r * d);
    }
  };
  if (!parallel_for(rows, 64, fill, cancel)) return false;
  const auto product = [&](const float* w, float* y) {
    return Product{rows, d, d, to, d, w, d, false, nullptr, Activation::none, y, d};
  };
  std::vector<Product> products{product(left_weight, left.floats(rows * d))};
  if (!Isdpa::is_folded(op.method)) products.push_back(product(a.w[1], right.floats(rows * d)));
  if (!op.pooled && a.result) products.push_back(product(a.w[2], values.floats(rows * d)));
  return multiply(kernels, products, cancel);
}

Status IsdpaState::Shortcuts::run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready,
                                  const CancelToken& cancel) {
  const std::int64_t l = op.length, d = op.d;
  const bool is_folded = Isdpa::is_folded(op.method), is_distinct = op.method != Isdpa::Method::direct_folded;
  const bool keeps_rows = keeps_every_pair(op);
  if (is_folded && !ready) {
    const Product fold{d, d, d, a.w[0], d, a.w[1], d, true, nullptr, Activation::none, folded.floats(d * d), d};
    if (!multiply(kernels, std::span(&fold, 1), cancel)) return cancelled();
  }
  const float* const left_weight = is_folded ? folded.floats(0) : a.w[0];

  // The distinct rows and the two factors of their scores, of all pairs.
  const float *all_x = nullptr, *all_left = nullptr, *all_right = nullptr, *all_values = nullptr;
  if (is_distinct) {
    if (keeps_rows) {
      if (!ready) {
        std::vector<std::int64_t> pairs(static_cast<std::size_t>(op.vocabulary * l));
        std::iota(pairs.begin(), pairs.end(), 0);
        if (!project_rows(kernels, op, a, left_weight, pairs, cancel)) return cancelled();
      }
      row_of.resize(static_cast<std::size_t>(op.words * l));
      for (std::int64_t i = 0; i < op.words * l; ++i)
        row_of[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(a.ids[i] * l + i % l);
    } else {
      std::vector<std::int64_t> pairs = find_distinct(op, a.ids);
      for (std::int64_t& at : pairs) at = a.ids[at] * l + at % l;
      if (!project_rows(kernels, op, a, left_weight, pairs, cancel)) return cancelled();
    }
    all_x = x.floats(0);
    all_left = left.floats(0);
    all_right = is_folded ? all_x : right.floats(0);
    all_values = values.floats(0);
  } else if (!ready) {
    pack(kernels, left_weight, d, false, d, d, packed.floats(packed_size(kernels, d, d)));
  }

  const WordTables tables = word_tables(op);
  float* const pooled_scores = op.pooled && a.score ? a.score : scores.floats(op.words * op.heads * l);
  float* const pooled_x = op.pooled && a.result ? pooled.floats(op.words * op.heads * d) : nullptr;
  const std::int64_t tile = std::max<std::int64_t>(1, 192 / l);
  const auto body = [&](std::int64_t begin, std::int64_t end) {
    thread_local Scratch inputs, projected, small, packed_word;
    float* const in = inputs.floats(tile * l * d);
    float* const side = projected.floats(tile * l * d * 2 + l * d);
    float* const word_values = side + tile * l * d * 2;
    float* const work = small.floats(2 * l * l + l);
    float* const own_weights = work + l * l + l;
    if (!is_distinct) {
      const std::int64_t rows = (end - begin) * l;
      for (std::int64_t r = 0; r < rows; ++r) kernels.add(a.f + a.ids[begin * l + r] * d, a.p + r % l * d, d, in + r * d);
      multiply_packed(kernels, rows, d, d, in, d, packed.floats(0), side, d);
    }
    for (std::int64_t w = begin; w < end && !cancel.cancelled(); ++w) {
      const float *word_x = in + (w - begin) * l * d, *word_left = side + (w - begin) * l * d, *word_right = word_x;
      if (is_distinct) {
        float *const to_x = in, *const to_left = side, *const to_right = side + l * d;
        for (std::int64_t i = 0; i < l; ++i) {
          const std::int64_t row = row_of[static_cast<std::size_t>(w * l + i)];
          if (op.pooled) std::copy_n(all_x + row * d, d, to_x + i * d);
          if (!op.pooled && a.result) std::copy_n(all_values + row * d, d, word_values + i * d);
          std::copy_n(all_left + row * d, d, to_left + i * d);
          if (!is_folded) std::copy_n(all_right + row * d, d, to_right + i * d);
        }
        word_x = to_x;
        word_left = to_left;
        word_right = is_folded ? to_x : to_right;
      }
      for (std::int64_t h = 0; h < op.heads; ++h) {
        float* const qk = a.qk ? square_of(op, a.qk, w, h) : work;
        float* const score = scores_of(op, pooled_scores, w, h);
        // A folded product has no heads: its two factors are as wide as X.
        const std::int64_t column = h * op.d_k(), inner = op.heads > 1 ? op.d_k() : d;
        times_transposed(kernels, word_left + column, word_right + column, l, l, inner, d, packed_word, qk);
        float* const soft = op.pooled ? nullptr : a.score ? square_of(op, a.score, w, h) : own_weights;
        kernels.pool(qk, a.ids + w * l, tables, work + l * l, soft, score);
        if (a.result && !op.pooled) weigh_values(kernels, op, h, soft, word_values, packed_word, a.result + w * l * d);
        if (a.result && op.pooled) kernels.weighted_sum(score, word_x, l, d, d, false, pooled_x + (w * op.heads + h) * d);
      }
    }
  };
  if (!over_words(op.words, tile, cancel, body)) return cancelled();
  if (a.result && op.pooled && !project_pooled(kernels, op, pooled_x, a.w[2], a.result, cancel)) return cancelled();
  return {};
}

}  // namespace headlight::backends::cpu
