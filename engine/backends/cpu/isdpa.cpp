// Index-based attention on the CPU. The index way projects n + l rows, multiplies the projections once into a table of
// [n + l, n + l] scores, and then only looks up; the direct way projects W * l rows, a tile of words at a time.
#include <algorithm>
#include <bit>
#include <cmath>
#include <string>
#include <vector>

#include "engine/backends/cpu/attention.h"
#include "engine/backends/cpu/products.h"
#include "engine/core/parallel.h"

namespace headlight::backends::cpu {
namespace {

// A larger table of scores than this (256 MiB) is not made: scores are then multiplied out word by word.
constexpr std::int64_t kTableFloats = std::int64_t{1} << 26;

bool needs_scores(const IsdpaArrays& a) { return a.terms[0] || a.qk || a.score || a.result; }

// y [rows, d] = x rows picked by ids, plus p.
void add_rows(const Kernels& kernels, const float* x, const std::int32_t* ids, const float* p, std::int64_t rows, std::int64_t d,
              float* y) {
  for (std::int64_t i = 0; i < rows; ++i) kernels.add(x + ids[i] * d, p + i * d, d, y + i * d);
}

// y [rows, columns] = a [rows, d] b^T, b [columns, d].
void times_transposed(const Kernels& kernels, const float* a, const float* b, std::int64_t rows, std::int64_t columns,
                      std::int64_t d, Scratch& packed, float* y) {
  float* const pack_to = packed.floats(packed_size(kernels, d, columns));
  pack(kernels, b, d, true, d, columns, pack_to);
  multiply_packed(kernels, rows, d, columns, a, d, pack_to, y, columns);
}

// The four terms of one word from the content and position parts [l, d] of its Q and K.
void word_terms(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, std::int64_t word, const float* content_q,
                const float* content_k, const float* position_q, const float* position_k, Scratch& packed) {
  const std::int64_t l = op.length;
  const float* const left[] = {content_q, content_q, position_q, position_q};
  const float* const right[] = {content_k, position_k, content_k, position_k};
  for (int t = 0; t < 4; ++t) times_transposed(kernels, left[t], right[t], l, l, op.d, packed, a.terms[t] + word * l * l);
}

WordTables word_tables(const Isdpa& op) {
  WordTables t;
  t.n = op.vocabulary;
  t.l = op.length;
  t.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(op.d)));
  t.pad = static_cast<std::int32_t>(op.pad_index);
  return t;
}

// Runs body(first word, last word) over tiles of words.
template <class Body>
bool over_words(std::int64_t words, std::int64_t tile, const CancelToken& cancel, const Body& body) {
  const std::int64_t tiles = (words + tile - 1) / tile;
  return parallel_for(
             tiles, 1,
             [&](std::int64_t begin, std::int64_t end) {
               for (std::int64_t t = begin; t < end && !cancel.cancelled(); ++t) body(t * tile, std::min(words, (t + 1) * tile));
             },
             cancel) &&
         !cancel.cancelled();
}

// Whether no value is infinite or NaN: those have all exponent bits set.
bool all_finite(const float* x, std::int64_t count) {
  std::uint32_t any = 0;
  for (std::int64_t i = 0; i < count; ++i) any |= (std::bit_cast<std::uint32_t>(x[i]) & 0x7f800000U) == 0x7f800000U ? 1U : 0U;
  return any == 0;
}

// The symbols that occur, in rising order, if they are so few that projecting only them pays; else empty.
std::vector<std::int32_t> used_symbols(const Isdpa& op, const std::int32_t* ids) {
  if (op.cached || op.vocabulary <= op.length) return {};
  std::vector<bool> seen(static_cast<std::size_t>(op.vocabulary), false);
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < op.words * op.length; ++i) {
    auto mark = seen[static_cast<std::size_t>(ids[i])];
    if (!mark) ++count;
    mark = true;
  }
  if (count * 4 > op.vocabulary * 3) return {};
  std::vector<std::int32_t> used;
  for (std::int64_t s = 0; s < op.vocabulary; ++s) {
    if (seen[static_cast<std::size_t>(s)]) used.push_back(static_cast<std::int32_t>(s));
  }
  return used;
}

}  // namespace

struct IsdpaState::Tables {
  Scratch x;                   // [n + l, d]: F over P
  Scratch meta[3];             // [n + l, d]: its Q, K and V; rows n .. n + l - 1 belong to the positions
  Scratch scores;              // [n + l, n + l]: Q K^T of everything with everything
  Scratch pooled;              // [W, n + l]: each word's pooled weights, by symbol and by position
  Scratch packed;              // the direct way: three packed weights, and three for positions
  Scratch position;            // the direct way: [3][l, d], P's own projections
  bool finite_values = false;  // no NaN or infinity among the value rows of meta[2]

  Status index(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready, const CancelToken& cancel);
  Status direct(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, const CancelToken& cancel);
  bool project(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool with_table, const CancelToken& cancel);
};

// Fills meta (those wanted) and, with_table, scores.
bool IsdpaState::Tables::project(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool with_table,
                                 const CancelToken& cancel) {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d;
  const bool wanted[] = {a.qkv[0] || needs_scores(a), a.qkv[1] || needs_scores(a), a.qkv[2] || a.result};
  std::vector<Product> products;
  float* const both = x.floats((n + l) * d);
  std::copy_n(a.f, n * d, both);
  std::copy_n(a.p, l * d, both + n * d);
  for (int i = 0; i < 3; ++i) {
    if (!wanted[i]) continue;
    float* const to = meta[i].floats((n + l) * d);
    if (a.w[i] == a.position_w[i]) {
      products.push_back({n + l, d, d, both, d, a.w[i], d, false, nullptr, Activation::none, to, d});
    } else {
      products.push_back({n, d, d, both, d, a.w[i], d, false, nullptr, Activation::none, to, d});
      products.push_back({l, d, d, both + n * d, d, a.position_w[i], d, false, nullptr, Activation::none, to + n * d, d});
    }
  }
  if (!multiply(kernels, products, cancel)) return false;
  if (wanted[2]) finite_values = all_finite(meta[2].floats(0), (n + l) * d);
  if (!with_table) return true;
  const Product table{n + l,
                      d,
                      n + l,
                      meta[0].floats(0),
                      d,
                      meta[1].floats(0),
                      d,
                      true,
                      nullptr,
                      Activation::none,
                      scores.floats((n + l) * (n + l)),
                      n + l};
  return multiply(kernels, std::span(&table, 1), cancel);
}

Status IsdpaState::Tables::index(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready,
                                 const CancelToken& cancel) {
  const std::int64_t n = op.vocabulary, l = op.length, d = op.d, width = n + l;
  const bool by_table = needs_scores(a) && width * width <= kTableFloats;
  if (!ready && !project(kernels, op, a, by_table, cancel)) return cancelled();

  WordTables tables = word_tables(op);
  tables.table = scores.floats(0);
  const float* const q = meta[0].floats(0);
  const float* const k = meta[1].floats(0);
  const float* const v = meta[2].floats(0);
  // With few symbols the value rows are gathered by one product [W, n + l] [n + l, d]; with many, by adding up l rows a word. A
  // NaN would spread through the product to words without its symbol (0 NaN is NaN), so then it is added up, too.
  const bool by_product = a.result && width <= 8 * l && finite_values;
  float* const weights = by_product ? pooled.floats(op.words * width) : nullptr;

  const std::int64_t tile = std::max<std::int64_t>(1, std::min<std::int64_t>(16, op.words / (4 * thread_count())));
  const auto body = [&](std::int64_t first, std::int64_t last) {
    thread_local Scratch scratch, rows, packs;
    for (std::int64_t w = first; w < last && !cancel.cancelled(); ++w) {
      const std::int32_t* ids = a.ids + w * l;
      for (int i = 0; i < 3; ++i) {
        if (a.qkv[i]) add_rows(kernels, meta[i].floats(0), ids, meta[i].floats(0) + n * d, l, d, a.qkv[i] + w * l * d);
      }
      if (!needs_scores(a)) continue;
      float* const work = scratch.floats(width + 3 * l + l * l);
      float* const score = a.score ? a.score + w * l : work + width + 2 * l;
      if (by_table) {
        float* const qk = a.qk ? a.qk + w * l * l : nullptr;
        if (qk || a.score || a.result) kernels.pool_indexed(ids, tables, work, qk, score);
        if (a.terms[0]) {
          for (std::int64_t i = 0; i < l; ++i) {
            const float* symbol = tables.table + ids[i] * width;
            const float* place = tables.table + (n + i) * width;
            const std::int64_t at = (w * l + i) * l;
            for (std::int64_t j = 0; j < l; ++j) {
              a.terms[0][at + j] = symbol[ids[j]];
              a.terms[1][at + j] = symbol[n + j];
              a.terms[2][at + j] = place[ids[j]];
              a.terms[3][at + j] = place[n + j];
            }
          }
        }
      } else {
        float* const both = rows.floats(2 * l * d);
        if (a.terms[0]) {
          for (std::int64_t i = 0; i < l; ++i) {
            std::copy_n(q + ids[i] * d, d, both + i * d);
            std::copy_n(k + ids[i] * d, d, both + (l + i) * d);
          }
          word_terms(kernels, op, a, w, both, both + l * d, q + n * d, k + n * d, packs);
        }
        float* const qk = a.qk ? a.qk + w * l * l : work + width + 3 * l;
        add_rows(kernels, q, ids, q + n * d, l, d, both);
        add_rows(kernels, k, ids, k + n * d, l, d, both + l * d);
        times_transposed(kernels, both, both + l * d, l, l, d, packs, qk);
        kernels.pool(qk, ids, tables, work, score);
      }
      if (by_product) {
        float* const row = weights + w * width;
        std::fill_n(row, n, 0.0f);
        for (std::int64_t j = 0; j < l; ++j) row[ids[j]] += score[j];
        std::copy_n(score, l, row + n);
      } else if (a.result) {
        kernels.weighted_sum(score, v + n * d, l, d, d, false, a.result + w * d);
        for (std::int64_t j = 0; j < l; ++j) kernels.weighted_sum(score + j, v + ids[j] * d, 1, d, d, true, a.result + w * d);
      }
    }
  };
  if (!over_words(op.words, tile, cancel, body)) return cancelled();
  if (by_product) {
    const Product product{op.words, width, d, weights, width, v, d, false, nullptr, Activation::none, a.result, d};
    if (!multiply(kernels, std::span(&product, 1), cancel)) return cancelled();
  }
  return {};
}

Status IsdpaState::Tables::direct(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, const CancelToken& cancel) {
  const std::int64_t l = op.length, d = op.d;
  const bool pooled_first = op.method == Isdpa::Method::direct_pooled;
  const bool wanted[] = {a.qkv[0] || needs_scores(a), a.qkv[1] || needs_scores(a), a.qkv[2] || (a.result && !pooled_first)};
  const bool separate = op.separate_position_weights;
  const bool apart = separate || a.terms[0];  // the positions' own projections are wanted

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
  if (!parallel_for(6, 1, pack_weights, cancel)) return cancelled();

  const WordTables tables = word_tables(op);
  float* const pooled_scores = a.score ? a.score : scores.floats(op.words * l);
  float* const pooled_x = pooled_first && a.result ? pooled.floats(op.words * d) : nullptr;
  const std::int64_t tile = std::max<std::int64_t>(1, 192 / l);
  const auto body = [&](std::int64_t first, std::int64_t last) {
    thread_local Scratch inputs, projected, small, packed_word;
    const std::int64_t words = last - first;
    const std::int64_t rows = words * l;
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
    float* const work = small.floats(l * l + l + 3 * l * d);
    for (std::int64_t w = first; w < last && !cancel.cancelled(); ++w) {
      const std::int64_t at = (w - first) * l * d;
      const std::int32_t* ids = a.ids + w * l;
      float* const qk = a.qk ? a.qk + w * l * l : work;
      float* const score = pooled_scores + w * l;
      times_transposed(kernels, qkv[0] + at, qkv[1] + at, l, l, d, packed_word, qk);
      kernels.pool(qk, ids, tables, work + l * l, score);
      if (a.terms[0]) {
        float* const symbols = work + l * l + l;
        float* const content_q = symbols + l * d;
        float* const content_k = content_q + l * d;
        for (std::int64_t i = 0; i < l; ++i) std::copy_n(a.f + ids[i] * d, d, symbols + i * d);
        multiply_packed(kernels, l, d, d, symbols, d, packs, content_q, d);
        multiply_packed(kernels, l, d, d, symbols, d, packs + size, content_k, d);
        word_terms(kernels, op, a, w, content_q, content_k, positions, positions + l * d, packed_word);
      }
      if (pooled_first && a.result) {
        kernels.weighted_sum(score, in + at, l, d, d, false, pooled_x + w * d);
      } else if (a.result) {
        kernels.weighted_sum(score, qkv[2] + at, l, d, d, false, a.result + w * d);
      }
    }
  };
  if (!over_words(op.words, tile, cancel, body)) return cancelled();
  if (pooled_first && a.result) {
    const Product product{op.words, d, d, pooled_x, d, a.w[2], d, false, nullptr, Activation::none, a.result, d};
    if (!multiply(kernels, std::span(&product, 1), cancel)) return cancelled();
    for (std::int64_t w = 0; separate && w < op.words; ++w) {
      kernels.weighted_sum(pooled_scores + w * l, positions + 2 * l * d, l, d, d, true, a.result + w * d);
    }
  }
  return {};
}

IsdpaState::IsdpaState() = default;
IsdpaState::~IsdpaState() = default;

Status IsdpaState::run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& arrays, bool same_inputs,
                       const CancelToken& cancel) {
  if (!tables_) tables_ = std::make_unique<Tables>();
  if (op.method != Isdpa::Method::index) return tables_->direct(kernels, op, arrays, cancel);

  const std::vector<std::int32_t> used = used_symbols(op, arrays.ids);
  if (used.empty()) return tables_->index(kernels, op, arrays, same_inputs, cancel);
  // A smaller vocabulary of the symbols that occur; the same words in its numbering.
  std::vector<std::int32_t> number(static_cast<std::size_t>(op.vocabulary), -1);
  Scratch rows;
  float* const f = rows.floats(static_cast<std::int64_t>(used.size()) * op.d);
  for (std::size_t i = 0; i < used.size(); ++i) {
    number[static_cast<std::size_t>(used[i])] = static_cast<std::int32_t>(i);
    std::copy_n(arrays.f + used[i] * op.d, op.d, f + static_cast<std::int64_t>(i) * op.d);
  }
  std::vector<std::int32_t> ids(arrays.ids, arrays.ids + op.words * op.length);
  for (std::int32_t& id : ids) id = number[static_cast<std::size_t>(id)];
  Isdpa small = op;
  small.vocabulary = static_cast<std::int64_t>(used.size());
  if (op.pad_index >= 0) small.pad_index = number[static_cast<std::size_t>(op.pad_index)];  // -1 where no word is padded
  IsdpaArrays with_small = arrays;
  with_small.f = f;
  with_small.ids = ids.data();
  return tables_->index(kernels, small, with_small, false, cancel);
}

}  // namespace headlight::backends::cpu
