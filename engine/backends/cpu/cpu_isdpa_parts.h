// The states and helpers of the methods of index-based attention on the CPU. Only isdpa*.cpp include this header. Sizes are those
// of operations/isdpa.h: W words of l symbols, n symbols in the vocabulary, h heads of d_k, d = h d_k.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "engine/backends/cpu/cpu_attention.h"
#include "engine/backends/cpu/products.h"
#include "engine/core/parallel.h"
#include "engine/operations/isdpa.h"

namespace headlight::backends::cpu {

inline bool needs_scores(const IsdpaArrays& a) { return a.terms[0] || a.qk || a.score || a.result; }

// y [rows, columns] = a [rows, inner] b^T, b [columns, inner]; rows of a and b are `stride` floats apart.
// times_transposed(kernels, q, k, l, l, d_k, d, packed, y): the scores [l, l] of one head of one word.
inline void times_transposed(const Kernels& kernels, const float* a, const float* b, std::int64_t rows, std::int64_t columns,
                             std::int64_t inner, std::int64_t stride, Scratch& packed, float* y) {
  float* const pack_to = packed.floats(packed_size(kernels, inner, columns));
  pack(kernels, b, stride, true, inner, columns, pack_to);
  multiply_packed(kernels, rows, inner, columns, a, stride, pack_to, y, columns);
}

// y [rows, d] = x[ids] + p, with ids [rows] and p [rows, d]. add_rows(kernels, f, ids, p, l, d, y): the input X of one word.
inline void add_rows(const Kernels& kernels, const float* x, const std::int32_t* ids, const float* p, std::int64_t rows,
                     std::int64_t d, float* y) {
  for (std::int64_t i = 0; i < rows; ++i) kernels.add(x + ids[i] * d, p + i * d, d, y + i * d);
}

inline WordTables word_tables(const Isdpa& op) {
  WordTables t;
  t.n = op.vocabulary;
  t.l = op.length;
  t.scale = static_cast<float>(1.0 / std::sqrt(static_cast<double>(op.d_k())));
  t.pad = static_cast<std::int32_t>(op.pad_index);
  return t;
}

// The beginnings of the square [l, l] and of the pooled scores [l] of one head of one word, in arrays [W, h, l, l] and [W, h, l].
// Null stays null. square_of(op, a.qk, 0, 1) is a.qk + l l.
inline float* square_of(const Isdpa& op, float* all, std::int64_t word, std::int64_t head) {
  return all ? all + (word * op.heads + head) * op.length * op.length : nullptr;
}
inline float* scores_of(const Isdpa& op, float* all, std::int64_t word, std::int64_t head) {
  return all ? all + (word * op.heads + head) * op.length : nullptr;
}

// For layers that do not pool: computes one head's columns of one word's result [l, d], which are weights [l, l] times the same
// columns of v [l, d]. weigh_values(kernels, op, 1, weights, v, packed, result) computes the columns d_k .. 2 d_k - 1.
inline void weigh_values(const Kernels& kernels, const Isdpa& op, std::int64_t head, const float* weights, const float* v,
                         Scratch& packed, float* result) {
  const std::int64_t l = op.length, d_k = op.d_k();
  float* const pack_to = packed.floats(packed_size(kernels, l, d_k));
  pack(kernels, v + head * d_k, op.d, false, l, d_k, pack_to);
  multiply_packed(kernels, l, l, d_k, weights, l, pack_to, result + head * d_k, op.d);
}

// Computes the four terms mm, mp, pm, pp [h, l, l] of one word from the content and position parts [l, d] of its Q and K.
// word_terms(kernels, op, a, 3, ...) writes those of word 3 into a.terms.
inline void word_terms(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, std::int64_t word, const float* content_q,
                       const float* content_k, const float* position_q, const float* position_k, Scratch& packed) {
  const float* const left[] = {content_q, content_q, position_q, position_q};
  const float* const right[] = {content_k, position_k, content_k, position_k};
  for (std::int64_t h = 0; h < op.heads; ++h) {
    for (int t = 0; t < 4; ++t) {
      times_transposed(kernels, left[t] + h * op.d_k(), right[t] + h * op.d_k(), op.length, op.length, op.d_k(), op.d, packed,
                       square_of(op, a.terms[t], word, h));
    }
  }
}

// Calls body(first word, end word) for tiles of `tile` words, on several threads. False if cancelled.
// over_words(10, 4, cancel, body) calls body(0, 4), body(4, 8) and body(8, 10).
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

// Computes result [W, h d_k] from pooled inputs [W, h, d]: a head's columns are its pooled input times its columns of W_V [d, d].
// False if cancelled. project_pooled(kernels, op, pooled, a.w[2], a.result, cancel) writes the layer's result.
inline bool project_pooled(const Kernels& kernels, const Isdpa& op, const float* pooled_x, const float* wv, float* result,
                           const CancelToken& cancel) {
  std::vector<Product> products;
  for (std::int64_t h = 0; h < op.heads; ++h) {
    products.push_back({op.words, op.d, op.d_k(), pooled_x + h * op.d, op.heads * op.d, wv + h * op.d_k(), op.d, false, nullptr,
                        Activation::none, result + h * op.d_k(), op.d});
  }
  return multiply(kernels, products, cancel);
}

// The index method (isdpa_index.cpp): projects the n + l rows of F and P, multiplies them once into tables of scores, then only
// looks scores up.
struct IsdpaState::Tables {
  Scratch x;                        // [n + l, d]: the rows of F, then those of P
  Scratch meta[3];                  // [n + l, d] each: Q, K and V of x; rows n .. n + l - 1 belong to the positions
  Scratch scores;                   // [h, n + l, n + l]: Q K^T of all symbols and positions
  Scratch exponentials;             // [h, n + l, n + l]: e^(scale score), if no product of four overflows
  bool exponentials_known = false;  // whether exponentiate() has run for the present scores ...
  bool has_exponentials = false;    // ... and has filled `exponentials`
  Scratch pooled;                   // [h, W, n + l]: each word's pooled weights, by symbol and by position
  bool finite_values = false;       // no NaN or infinity among the value rows of meta[2]

  // `ready`: F, P and the weights are those of the last call, so that meta and scores are still valid.
  Status run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready, const CancelToken& cancel);

 private:
  bool project(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool with_table, const CancelToken& cancel);
  bool exponentiate(const Kernels& kernels, const Isdpa& op, const CancelToken& cancel);
};

// The layer as its formula is written (isdpa_direct.cpp): it projects all W l rows, a tile of words at a time.
struct IsdpaState::Direct {
  Scratch packed;    // [6]: WQ, WK and WV, then those of the positions
  Scratch position;  // [3][l, d]: Q, K and V of the positions alone
  Scratch scores;    // [W, h, l]
  Scratch pooled;    // [W, h, d]: pooled inputs

  // `ready`: the weights are those of the last call, so that they are packed already.
  Status run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready, const CancelToken& cancel);

 private:
  bool pack_weights(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, const CancelToken& cancel);
};

// The layer without an index, but with every exact shortcut that needs none (isdpa_shortcuts.cpp).
struct IsdpaState::Shortcuts {
  Scratch folded;                    // [d, d]: WQ WK^T
  Scratch packed;                    // `folded`, packed
  Scratch x, left, right;            // [rows, d]: distinct rows of X, and the factors of their scores: Q, K, or X WQ WK^T, X
  Scratch values;                    // [rows, d]: their V, if the layer does not pool
  Scratch pooled, scores;            // [W, h, d]: pooled rows of X; [W, h, l]
  std::vector<std::int32_t> row_of;  // [W, l]: the number of each cell's distinct row

  // `ready`: F, P and the weights are those of the last call. If keeps_every_pair() allows it, the rows of all n l pairs of
  // symbol and position are projected once and kept.
  Status run(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, bool ready, const CancelToken& cancel);

 private:
  std::vector<std::int64_t> find_distinct(const Isdpa& op, const std::int32_t* ids);
  bool project_rows(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, const float* left_weight,
                    const std::vector<std::int64_t>& pairs, const CancelToken& cancel);
  bool project_distinct(const Kernels& kernels, const Isdpa& op, const IsdpaArrays& a, const float* left_weight, bool ready,
                        const CancelToken& cancel);
};

}  // namespace headlight::backends::cpu
