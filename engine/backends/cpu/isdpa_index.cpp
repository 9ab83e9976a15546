// The index method: n + l rows are projected, however many words there are. Their products with each other are a table of
// [n + l, n + l] scores per head; a word's scores are looked up there and need not be written.
#include <bit>
#include <cmath>
#include <vector>

#include "engine/backends/cpu/cpu_isdpa_parts.h"
#include "engine/operations/isdpa.h"
#include "engine/operations/isdpa_rules.h"

namespace headlight::backends::cpu {
namespace {

// e^64 is 6e27, so products and the sums of a word stay within float32's range; e^-64 is far above its lower end.
constexpr float kMostExponent = 64;
// Vector loads may read this many floats beyond the end of a table.
constexpr std::int64_t kSlack = 64;

// Whether no value is infinite or NaN; in those all exponent bits are set.
bool all_finite(const float* x, std::int64_t count) {
  std::uint32_t any = 0;
  for (std::int64_t i = 0; i < count; ++i) any |= (std::bit_cast<std::uint32_t>(x[i]) & 0x7f800000U) == 0x7f800000U ? 1U : 0U;
  return any == 0;
}

// The four terms of one head of one word, separately, looked up in its table [n + l, n + l].
void look_up_terms(const Isdpa& op, const IsdpaArrays& a, std::int64_t word, std::int64_t head, const float* table) {
  const std::int64_t n = op.vocabulary, l = op.length, width = n + l;
  const std::int32_t* ids = a.ids + word * l;
  float* to[4];
  for (int t = 0; t < 4; ++t) to[t] = square_of(op, a.terms[t], word, head);
  for (std::int64_t i = 0; i < l; ++i) {
    const float* symbol = table + ids[i] * width;
    const float* place = table + (n + i) * width;
    for (std::int64_t j = 0; j < l; ++j) {
      to[0][i * l + j] = symbol[ids[j]];
      to[1][i * l + j] = symbol[n + j];
      to[2][i * l + j] = place[ids[j]];
      to[3][i * l + j] = place[n + j];
    }
  }
}

// One thread's memory for the word it works on.
struct IndexWorkspace {
  Scratch looked_up;  // what the kernels' look-ups need, then pooled scores [l], scores [l, l] and weights [l, l]
  Scratch rows;       // [2 l, d]: the word's Q and K, if there is no table
  Scratch values;     // [l, d]: its V, if the layer does not pool
  Scratch packed;     // an operand as multiply_packed takes it
};

// One call, and what all of its words share.
struct IndexWords {
  const Kernels& kernels;
  const Isdpa& op;
  const IsdpaArrays& a;
  const float *q, *k, *v;               // [n + l, d] each: the projected symbols, then the projected positions
  bool by_table;                        // scores are looked up, not multiplied out
  const float *table, *exponentials;    // [h, n + l, n + l]: scores, and e^(scale score); null where those do not fit
  float* spread;                        // [h, W, n + l]: pooled weights by symbol and position, null if rows are added up
  WordTables common = word_tables(op);  // what every head's tables have in common

  std::int64_t width() const { return op.vocabulary + op.length; }
  void compute(std::int64_t word, IndexWorkspace& work) const;

 private:
  // Where one head of one word gets its numbers: outputs if they are kept, else memory of the thread.
  struct Head {
    std::int64_t word, index;
    float *score, *soft, *qk;  // [l]; [l, l], null if pooled; [l, l], null if it is not kept
    float *own_qk, *scratch;   // [l, l]; what the look-ups need
  };
  void project_word(std::int64_t word, IndexWorkspace& work) const;
  void pool(const Head& head, IndexWorkspace& work) const;
  void weigh(const Head& head, const float* word_v, IndexWorkspace& work) const;
};

// work.rows: Q and K of the word, for a call without tables; and its four terms, where they are kept.
void IndexWords::project_word(std::int64_t word, IndexWorkspace& work) const {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d;
  const std::int32_t* const ids = a.ids + word * l;
  float* const own_q = work.rows.floats(2 * l * d);
  float* const own_k = own_q + l * d;
  if (a.terms[0]) {
    for (std::int64_t i = 0; i < l; ++i) {
      std::copy_n(q + ids[i] * d, d, own_q + i * d);
      std::copy_n(k + ids[i] * d, d, own_k + i * d);
    }
    word_terms(kernels, op, a, word, own_q, own_k, q + n * d, k + n * d, work.packed);
  }
  add_rows(kernels, q, ids, q + n * d, l, d, own_q);
  add_rows(kernels, k, ids, k + n * d, l, d, own_k);
}

// The head's softmax, pooled over the queries if the layer pools, by the cheapest way that gives everything that is kept.
void IndexWords::pool(const Head& head, IndexWorkspace& work) const {
  const std::int64_t l = op.length, d = op.d, d_k = op.d_k(), table_size = width() * width();
  const std::int32_t* const ids = a.ids + head.word * l;
  WordTables tables = common;
  if (exponentials) {
    tables.table = exponentials + head.index * table_size;
    kernels.pool_exponentials(ids, tables, head.scratch, head.score);
  } else if (by_table) {
    tables.table = table + head.index * table_size;
    if (head.qk || a.score || a.result) kernels.pool_indexed(ids, tables, head.scratch, head.qk, head.soft, head.score);
    if (a.terms[0]) look_up_terms(op, a, head.word, head.index, tables.table);
  } else {
    float* const square = head.qk ? head.qk : head.own_qk;
    const float* const own_q = work.rows.floats(0);
    times_transposed(kernels, own_q + head.index * d_k, own_q + l * d + head.index * d_k, l, l, d_k, d, work.packed, square);
    kernels.pool(square, ids, tables, head.scratch, head.soft, head.score);
  }
}

// The head's columns of the result, or, where one product of all words gives the result, its row of `spread`.
void IndexWords::weigh(const Head& head, const float* word_v, IndexWorkspace& work) const {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d, d_k = op.d_k(), column = head.index * d_k;
  const std::int32_t* const ids = a.ids + head.word * l;
  if (spread) {
    float* const row = spread + (head.index * op.words + head.word) * width();
    std::fill_n(row, n, 0.0f);
    for (std::int64_t j = 0; j < l; ++j) row[ids[j]] += head.score[j];
    std::copy_n(head.score, l, row + n);
  } else if (a.result && op.pooled) {
    float* const to = a.result + head.word * d + column;
    kernels.weighted_sum(head.score, v + n * d + column, l, d, d_k, false, to);
    for (std::int64_t j = 0; j < l; ++j) kernels.weighted_sum(head.score + j, v + ids[j] * d + column, 1, d, d_k, true, to);
  } else if (a.result) {
    weigh_values(kernels, op, head.index, head.soft, word_v, work.packed, a.result + head.word * l * d);
  }
}

void IndexWords::compute(std::int64_t word, IndexWorkspace& work) const {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d;
  const std::int32_t* const ids = a.ids + word * l;
  const float* const projected[] = {q, k, v};
  for (int i = 0; i < 3; ++i) {
    if (a.qkv[i]) add_rows(kernels, projected[i], ids, projected[i] + n * d, l, d, a.qkv[i] + word * l * d);
  }
  if (!needs_scores(a)) return;
  float* const scratch = work.looked_up.floats(width() + 3 * l + 2 * l * l + 2 * kSlack);
  float* const own_score = scratch + width() + 2 * l + 2 * kSlack;
  float* const own_qk = own_score + l;
  float* const own_weights = own_qk + l * l;
  if (!by_table) project_word(word, work);
  float* word_v = nullptr;
  if (a.result && !op.pooled) {
    word_v = work.values.floats(l * d);
    add_rows(kernels, v, ids, v + n * d, l, d, word_v);
  }
  for (std::int64_t h = 0; h < op.heads; ++h) {
    float* const score = op.pooled && a.score ? scores_of(op, a.score, word, h) : own_score;
    float* const soft = op.pooled ? nullptr : a.score ? square_of(op, a.score, word, h) : own_weights;
    const Head head{word, h, score, soft, square_of(op, a.qk, word, h), own_qk, scratch};
    pool(head, work);
    weigh(head, word_v, work);
  }
}

}  // namespace

// Fills the wanted arrays of `meta` and, if with_table, scores. False if cancelled.
bool IsdpaState::Tables::project(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool with_table,
                                 const CancelToken& cancel) {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d, width = n + l;
  const bool wanted[] = {a.qkv[0] || needs_scores(a), a.qkv[1] || needs_scores(a), a.qkv[2] || a.result};
  std::vector<Product> products;
  float* const both = x.floats(width * d);
  std::copy_n(a.f, n * d, both);
  std::copy_n(a.p, l * d, both + n * d);
  for (int i = 0; i < 3; ++i) {
    if (!wanted[i]) continue;
    float* const to = meta[i].floats(width * d);
    if (a.w[i] == a.position_w[i]) {
      products.push_back({width, d, d, both, d, a.w[i], d, false, nullptr, Activation::none, to, d});
    } else {
      products.push_back({n, d, d, both, d, a.w[i], d, false, nullptr, Activation::none, to, d});
      products.push_back({l, d, d, both + n * d, d, a.position_w[i], d, false, nullptr, Activation::none, to + n * d, d});
    }
  }
  if (!multiply(kernels, products, cancel)) return false;
  if (wanted[2]) finite_values = all_finite(meta[2].floats(0), width * d);
  if (!with_table) return true;
  products.clear();
  float* const tables = scores.floats(op.heads * width * width);
  for (std::int64_t h = 0; h < op.heads; ++h) {
    products.push_back({width, op.d_k(), width, meta[0].floats(0) + h * op.d_k(), d, meta[1].floats(0) + h * op.d_k(), d, true,
                        nullptr, Activation::none, tables + h * width * width, width});
  }
  return multiply(kernels, products, cancel);
}

// Fills `exponentials` if the largest terms of a head cannot add up to more than kMostExponent in magnitude. False if cancelled.
bool IsdpaState::Tables::exponentiate(const Kernels& kernels, const Isdpa& op, const CancelToken& cancel) {
  const std::int64_t n = op.vocabulary, l = op.length, width = n + l;
  const float scale = word_tables(op).scale;
  const float* const from = scores.floats(0);
  float* const to = exponentials.floats(op.heads * width * width + kSlack);
  bool all_fit = true;
  for (std::int64_t h = 0; h < op.heads && all_fit; ++h) {
    float most[2][2] = {};  // the largest |x| of each of the four terms
    for (std::int64_t r = 0; r < width && all_fit; ++r) {
      const float* const row = from + (h * width + r) * width;
      float* const of_rows = most[r < n ? 0 : 1];
      const float left = kernels.largest_magnitude(row, n), right = kernels.largest_magnitude(row + n, l);
      all_fit = !std::isnan(left + right);
      of_rows[0] = std::max(of_rows[0], left);
      of_rows[1] = std::max(of_rows[1], right);
    }
    all_fit = all_fit && scale * (most[0][0] + most[0][1] + most[1][0] + most[1][1]) <= kMostExponent;
  }
  has_exponentials = all_fit;
  exponentials_known = true;
  if (!all_fit) return true;
  const auto fill = [&](std::int64_t first, std::int64_t last) {
    kernels.exponentials(from + first * width, (last - first) * width, scale, to + first * width);
    for (std::int64_t r = first; r < last && op.pad_index >= 0; ++r) to[r * width + op.pad_index] = 0;
  };
  return parallel_for(op.heads * width, std::max<std::int64_t>(1, 16384 / width), fill, cancel);
}

Status IsdpaState::Tables::run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready,
                               const CancelToken& cancel) {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d, d_k = op.d_k(), width = n + l;
  const bool by_table = needs_scores(a) && makes_table(op);
  if (!ready) {
    exponentials_known = false;
    if (!project(kernels, op, a, by_table, cancel)) return cancelled();
  }

  // If only the pooled result is wanted, a table of exponentials replaces the exponentials of the softmax: (n + l)^2 of them are
  // computed instead of W l^2.
  const bool by_exponentials = by_table && op.pooled && !a.qk && !a.terms[0] && width * width <= 2 * op.words * l * l;
  if (by_exponentials && !(ready && exponentials_known)) {
    if (!exponentiate(kernels, op, cancel)) return cancelled();
  }
  // With few symbols one product [W, n + l] [n + l, d] weights the value rows; with many, the l rows of each word are added up.
  // In the product a NaN would spread to words without its symbol (0 NaN is NaN), so with a NaN the rows are added up, too.
  const bool by_product = a.result && op.pooled && width <= 8 * l && finite_values;
  float* const spread = by_product ? pooled.floats(op.heads * op.words * width) : nullptr;
  const IndexWords words{.kernels = kernels,
                         .op = op,
                         .a = a,
                         .q = meta[0].floats(0),
                         .k = meta[1].floats(0),
                         .v = meta[2].floats(0),
                         .by_table = by_table,
                         .table = scores.floats(0),
                         .exponentials = by_exponentials && has_exponentials ? exponentials.floats(0) : nullptr,
                         .spread = spread};
  const auto body = [&](std::int64_t first, std::int64_t last) {
    thread_local IndexWorkspace work;
    for (std::int64_t w = first; w < last && !cancel.cancelled(); ++w) words.compute(w, work);
  };
  const std::int64_t tile = std::max<std::int64_t>(1, std::min<std::int64_t>(16, op.words / (4 * thread_count())));
  if (!over_words(op.words, tile, cancel, body)) return cancelled();
  if (!by_product) return {};
  std::vector<Product> products;
  for (std::int64_t h = 0; h < op.heads; ++h) {
    products.push_back({op.words, width, d_k, spread + h * op.words * width, width, words.v + h * d_k, d, false, nullptr,
                        Activation::none, a.result + h * d_k, d});
  }
  if (!multiply(kernels, products, cancel)) return cancelled();
  return {};
}

}  // namespace headlight::backends::cpu
