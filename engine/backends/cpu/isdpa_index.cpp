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
  const WordTables common = word_tables(op);
  const float* const q = meta[0].floats(0);
  const float* const k = meta[1].floats(0);
  const float* const v = meta[2].floats(0);
  const float* const all_tables = scores.floats(0);
  // With few symbols one product [W, n + l] [n + l, d] weights the value rows; with many, the l rows of each word are added up.
  // In the product a NaN would spread to words without its symbol (0 NaN is NaN), so with a NaN the rows are added up, too.
  const bool by_product = a.result && op.pooled && width <= 8 * l && finite_values;
  float* const weights = by_product ? pooled.floats(op.heads * op.words * width) : nullptr;

  const std::int64_t tile = std::max<std::int64_t>(1, std::min<std::int64_t>(16, op.words / (4 * thread_count())));
  const auto body = [&](std::int64_t first, std::int64_t last) {
    thread_local Scratch scratch, rows, values, packs;
    for (std::int64_t w = first; w < last && !cancel.cancelled(); ++w) {
      const std::int32_t* ids = a.ids + w * l;
      for (int i = 0; i < 3; ++i) {
        if (a.qkv[i]) add_rows(kernels, meta[i].floats(0), ids, meta[i].floats(0) + n * d, l, d, a.qkv[i] + w * l * d);
      }
      if (!needs_scores(a)) continue;
      float* const work = scratch.floats(width + 3 * l + 2 * l * l + 2 * kSlack);
      float* const own_score = work + width + 2 * l + 2 * kSlack;
      float* const own_qk = own_score + l;
      float* const own_weights = own_qk + l * l;
      float* both = nullptr;  // the word's Q and K, if there is no table
      if (!by_table) {
        both = rows.floats(2 * l * d);
        if (a.terms[0]) {
          for (std::int64_t i = 0; i < l; ++i) {
            std::copy_n(q + ids[i] * d, d, both + i * d);
            std::copy_n(k + ids[i] * d, d, both + (l + i) * d);
          }
          word_terms(kernels, op, a, w, both, both + l * d, q + n * d, k + n * d, packs);
        }
        add_rows(kernels, q, ids, q + n * d, l, d, both);
        add_rows(kernels, k, ids, k + n * d, l, d, both + l * d);
      }
      const float* word_v = nullptr;
      if (a.result && !op.pooled) {
        float* const made = values.floats(l * d);
        add_rows(kernels, v, ids, v + n * d, l, d, made);
        word_v = made;
      }
      for (std::int64_t h = 0; h < op.heads; ++h) {
        WordTables tables = common;
        tables.table = all_tables + h * width * width;
        float* const score = op.pooled && a.score ? scores_of(op, a.score, w, h) : own_score;
        float* const soft = op.pooled ? nullptr : a.score ? square_of(op, a.score, w, h) : own_weights;
        float* const qk = square_of(op, a.qk, w, h);
        if (by_exponentials && has_exponentials) {
          tables.table = exponentials.floats(0) + h * width * width;
          kernels.pool_exponentials(ids, tables, work, score);
        } else if (by_table) {
          if (qk || a.score || a.result) kernels.pool_indexed(ids, tables, work, qk, soft, score);
          if (a.terms[0]) look_up_terms(op, a, w, h, tables.table);
        } else {
          float* const square = qk ? qk : own_qk;
          times_transposed(kernels, both + h * d_k, both + l * d + h * d_k, l, l, d_k, d, packs, square);
          kernels.pool(square, ids, tables, work, soft, score);
        }
        if (by_product) {
          float* const row = weights + (h * op.words + w) * width;
          std::fill_n(row, n, 0.0f);
          for (std::int64_t j = 0; j < l; ++j) row[ids[j]] += score[j];
          std::copy_n(score, l, row + n);
        } else if (a.result && op.pooled) {
          float* const to = a.result + w * d + h * d_k;
          kernels.weighted_sum(score, v + n * d + h * d_k, l, d, d_k, false, to);
          for (std::int64_t j = 0; j < l; ++j) kernels.weighted_sum(score + j, v + ids[j] * d + h * d_k, 1, d, d_k, true, to);
        } else if (a.result) {
          weigh_values(kernels, op, h, soft, word_v, packs, a.result + w * l * d);
        }
      }
    }
  };
  if (!over_words(op.words, tile, cancel, body)) return cancelled();
  if (by_product) {
    std::vector<Product> products;
    for (std::int64_t h = 0; h < op.heads; ++h) {
      products.push_back({op.words, width, d_k, weights + h * op.words * width, width, v + h * d_k, d, false, nullptr,
                          Activation::none, a.result + h * d_k, d});
    }
    if (!multiply(kernels, products, cancel)) return cancelled();
  }
  return {};
}

}  // namespace headlight::backends::cpu
