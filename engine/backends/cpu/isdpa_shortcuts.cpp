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

// One thread's memory for the tile of words it works on.
struct ShortcutWorkspace {
  Scratch inputs;     // [tile l, d]: rows of X
  Scratch projected;  // two times [tile l, d]: the left and right factors of the scores; then one word's V [l, d]
  Scratch small;      // one word's: scores [l, l], a row of sums [l], weights [l, l]
  Scratch packed;     // an operand as multiply_packed takes it
};

// The distinct rows of X, their two factors of the scores, and their V: [rows, d] each.
struct Distinct {
  const std::int32_t* row_of = nullptr;  // [W, l]: which of the rows a place holds
  const float *x = nullptr, *left = nullptr, *right = nullptr, *values = nullptr;
};

// One word's rows [l, d]: X and the two factors of its scores; V where the layer does not pool.
struct WordRows {
  const float *x, *left, *right, *values;
};

// One call, and what all of its tiles share.
struct ShortcutWords {
  const Kernels& kernels;
  const Isdpa& op;
  const IsdpaArrays& a;
  std::int64_t tile;                     // words that are computed together
  float* pooled_scores;                  // [W, h, l]
  float* pooled_x = nullptr;             // [W, h, d]: pooled rows of X; null without a pooled result
  Distinct distinct;                     // without rows if the method projects every place
  const float* packed_weight = nullptr;  // WQ WK^T for those that project every place
  WordTables tables = word_tables(op);

  // The words from `first` up to `last`, at most `tile` of them.
  void compute(std::int64_t first, std::int64_t last, const CancelToken& cancel, ShortcutWorkspace& work) const;

 private:
  WordRows copied(std::int64_t word, ShortcutWorkspace& work) const;
  void attend(std::int64_t word, const WordRows& rows, ShortcutWorkspace& work) const;
};

// Copies a word's rows from the distinct ones, so that they lie one after another.
WordRows ShortcutWords::copied(std::int64_t word, ShortcutWorkspace& work) const {
  const std::int64_t l = op.length, d = op.d;
  const bool is_folded = Isdpa::is_folded(op.method);
  float* const x = work.inputs.floats(0);
  float* const left = work.projected.floats(0);
  float* const right = left + l * d;
  float* const values = left + tile * l * d * 2;
  for (std::int64_t i = 0; i < l; ++i) {
    const std::int64_t row = distinct.row_of[word * l + i];
    if (op.pooled) std::copy_n(distinct.x + row * d, d, x + i * d);
    if (!op.pooled && a.result) std::copy_n(distinct.values + row * d, d, values + i * d);
    std::copy_n(distinct.left + row * d, d, left + i * d);
    if (!is_folded) std::copy_n(distinct.right + row * d, d, right + i * d);
  }
  return {x, left, is_folded ? x : right, values};
}

// Scores, softmax and result of one word, head by head; a pooled result as pooled rows of X, which are projected later.
void ShortcutWords::attend(std::int64_t word, const WordRows& rows, ShortcutWorkspace& work) const {
  const std::int64_t l = op.length, d = op.d;
  float* const square = work.small.floats(2 * l * l + l);
  float* const sums = square + l * l;
  float* const own_weights = sums + l;
  for (std::int64_t h = 0; h < op.heads; ++h) {
    float* const qk = a.qk ? square_of(op, a.qk, word, h) : square;
    float* const score = scores_of(op, pooled_scores, word, h);
    // A folded product has no heads: its two factors are as wide as X.
    const std::int64_t column = h * op.d_k(), inner = op.heads > 1 ? op.d_k() : d;
    times_transposed(kernels, rows.left + column, rows.right + column, l, l, inner, d, work.packed, qk);
    float* const soft = op.pooled ? nullptr : a.score ? square_of(op, a.score, word, h) : own_weights;
    kernels.pool(qk, a.ids + word * l, tables, sums, soft, score);
    if (a.result && !op.pooled) weigh_values(kernels, op, h, soft, rows.values, work.packed, a.result + word * l * d);
    if (pooled_x) kernels.weighted_sum(score, rows.x, l, d, d, false, pooled_x + (word * op.heads + h) * d);
  }
}

void ShortcutWords::compute(std::int64_t first, std::int64_t last, const CancelToken& cancel, ShortcutWorkspace& work) const {
  const std::int64_t l = op.length, d = op.d, rows = (last - first) * l;
  float* const x = work.inputs.floats(tile * l * d);
  float* const left = work.projected.floats(tile * l * d * 2 + l * d);
  if (packed_weight) {
    for (std::int64_t r = 0; r < rows; ++r) kernels.add(a.f + a.ids[first * l + r] * d, a.p + r % l * d, d, x + r * d);
    multiply_packed(kernels, rows, d, d, x, d, packed_weight, left, d);
  }
  for (std::int64_t w = first; w < last && !cancel.cancelled(); ++w) {
    const std::int64_t at = (w - first) * l * d;
    attend(w, packed_weight ? WordRows{x + at, left + at, x + at, nullptr} : copied(w, work), work);
  }
}

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

// Projects the distinct rows and says in row_of which of them stands at every place. `ready`: the rows of all n l pairs, where
// they are kept, are those of the last call. False if cancelled.
bool IsdpaState::Shortcuts::project_distinct(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a,
                                             const float* left_weight, bool ready, const CancelToken& cancel) {
  const std::int64_t l = op.length;
  if (!keeps_every_pair(op)) {
    std::vector<std::int64_t> pairs = find_distinct(op, a.ids);
    for (std::int64_t& at : pairs) at = a.ids[at] * l + at % l;
    return project_rows(kernels, op, a, left_weight, pairs, cancel);
  }
  if (!ready) {
    std::vector<std::int64_t> pairs(static_cast<std::size_t>(op.vocabulary * l));
    std::iota(pairs.begin(), pairs.end(), 0);
    if (!project_rows(kernels, op, a, left_weight, pairs, cancel)) return false;
  }
  row_of.resize(static_cast<std::size_t>(op.words * l));
  for (std::int64_t i = 0; i < op.words * l; ++i)
    row_of[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(a.ids[i] * l + i % l);
  return true;
}

Status IsdpaState::Shortcuts::run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready,
                                  const CancelToken& cancel) {
  const std::int64_t l = op.length, d = op.d;
  const bool is_folded = Isdpa::is_folded(op.method), is_distinct = op.method != Isdpa::Method::direct_folded;
  if (is_folded && !ready) {
    const Product fold{d, d, d, a.w[0], d, a.w[1], d, true, nullptr, Activation::none, folded.floats(d * d), d};
    if (!multiply(kernels, std::span(&fold, 1), cancel)) return cancelled();
  }
  const float* const left_weight = is_folded ? folded.floats(0) : a.w[0];
  if (is_distinct) {
    if (!project_distinct(kernels, op, a, left_weight, ready, cancel)) return cancelled();
  } else if (!ready) {
    pack(kernels, left_weight, d, false, d, d, packed.floats(packed_size(kernels, d, d)));
  }

  ShortcutWords words{kernels, op, a, std::max<std::int64_t>(1, 192 / l),
                      op.pooled && a.score ? a.score : scores.floats(op.words * op.heads * l)};
  if (op.pooled && a.result) words.pooled_x = pooled.floats(op.words * op.heads * d);
  if (is_distinct) {
    words.distinct = {row_of.data(), x.floats(0), left.floats(0), is_folded ? x.floats(0) : right.floats(0), values.floats(0)};
  } else {
    words.packed_weight = packed.floats(0);
  }
  const auto body = [&](std::int64_t first, std::int64_t last) {
    thread_local ShortcutWorkspace work;
    words.compute(first, last, cancel, work);
  };
  if (!over_words(op.words, words.tile, cancel, body)) return cancelled();
  if (words.pooled_x && !project_pooled(kernels, op, words.pooled_x, a.w[2], a.result, cancel)) return cancelled();
  return {};
}

}  // namespace headlight::backends::cpu
