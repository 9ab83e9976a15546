// Helpers of the methods of index-based attention on the GPU. Only isdpa*.cpp include this header. Sizes are those of
// operations/isdpa.h: W words of l symbols, n symbols in the vocabulary, h heads of d_k.
#pragma once

#include <cmath>

#include "engine/backends/cuda/isdpa/isdpa_work.h"
#include "engine/operations/isdpa.h"

namespace headlight::backends::cuda {

inline bool needs_scores(const IsdpaArrays& a) { return a.terms[0] || a.qk || a.score || a.result; }
inline bool needs_weights(const IsdpaArrays& a) { return a.score || a.result; }
inline std::int64_t cells(const Isdpa& op) { return op.words * op.length; }    // W l
inline std::int64_t square(const Isdpa& op) { return op.length * op.length; }  // l l
inline float scale_of(const Isdpa& op) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(op.d_k()))); }

// The sizes of one product without bias or batch; arrays and steps are still zeros.
// product_call(32, 64, 16) is for [32, 64] times [64, 16].
inline ProductCall product_call(std::int64_t rows, std::int64_t inner, std::int64_t columns) {
  ProductCall p{};
  p.rows = rows;
  p.inner = inner;
  p.columns = columns;
  p.split = rows;
  p.matrices = 1;
  p.batch[0] = p.batch[1] = 1;
  return p;
}

// output [rows, d] = rows of `table` + rows of `addend`; the caller sets their ids or period.
// gather_call(f, p, cells(op), op.d, x) with the words' ids and the period l gives X [W l, d].
inline GatherCall gather_call(const float* table, const float* addend, std::int64_t rows, std::int64_t d, float* output) {
  GatherCall c{};
  c.rows = rows;
  c.d = d;
  c.table = table;
  c.addend = addend;
  c.period = 1;
  c.output = output;
  return c;
}

// The sizes, ids, scale and padding of a call; the caller sets the scores and outputs: pool_call(op, a.ids).
inline PoolCall pool_call(const Isdpa& op, const std::int32_t* ids) {
  PoolCall c{};
  c.words = op.words;
  c.heads = op.heads;
  c.length = op.length;
  c.vocabulary = op.vocabulary;
  c.ids = ids;
  c.scale = scale_of(op);
  c.pad = static_cast<std::int32_t>(op.pad_index);
  return c;
}

}  // namespace headlight::backends::cuda
