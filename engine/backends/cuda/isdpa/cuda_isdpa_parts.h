// What the methods of index-based attention on the GPU share. Included by isdpa*.cpp only.
#pragma once

#include <cmath>

#include "engine/backends/cuda/isdpa/isdpa_work.h"
#include "engine/operations/isdpa.h"

namespace headlight::backends::cuda {

inline bool needs_scores(const IsdpaArrays& a) { return a.terms[0] || a.qk || a.score || a.result; }
inline bool needs_weights(const IsdpaArrays& a) { return a.score || a.result; }
inline std::int64_t cells(const Isdpa& op) { return op.words * op.length; }
inline std::int64_t square(const Isdpa& op) { return op.length * op.length; }
inline float scale_of(const Isdpa& op) { return static_cast<float>(1.0 / std::sqrt(static_cast<double>(op.d_k()))); }

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
