// Helpers that fill the structures of module.h: the arrays of buffers, and the calls that several operations make.
#pragma once

#include <algorithm>
#include <cstring>
#include <type_traits>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/runtime/module.h"

namespace headlight::backends::cuda {

inline const float* real(const Buffer& buffer) { return static_cast<const float*>(buffer.device.get()); }
inline float* real(Buffer& buffer) { return static_cast<float*>(buffer.device.get()); }
inline const std::int32_t* indices(const Buffer& buffer) { return static_cast<const std::int32_t*>(buffer.device.get()); }

// Sets every byte to zero, padding included, so that equal calls have equal bytes.
template <class Call>
void clear(Call& call) {
  static_assert(std::is_trivially_copyable_v<Call>);
  std::memset(&call, 0, sizeof call);
}

// The sizes of c[z] = a[z] b[z] for each z of a batch: a [batch, rows, inner], c [batch, rows, columns], and b [batch, inner,
// columns], or [batch, columns, inner] if `transposed`. All three lie in memory without gaps.
struct ProductSizes {
  std::int64_t batch, rows, inner, columns;
  bool transposed;
};
// product_call({8, 32, 64, 16, false}, a, b, c, kFloat32): eight products of [32, 64] and [64, 16].
inline ProductCall product_call(const ProductSizes& sizes, const float* a, const float* b, float* c, Precision precision) {
  ProductCall call;
  clear(call);
  call.rows = call.split = sizes.rows;
  call.inner = sizes.inner;
  call.columns = sizes.columns;
  call.a = a;
  call.a_row = sizes.inner;
  call.b[0] = b;
  call.b_row = sizes.transposed ? sizes.inner : sizes.columns;
  call.transposed = sizes.transposed;
  call.c[0] = c;
  call.c_row = sizes.columns;
  call.matrices = 1;
  call.batch[0] = sizes.batch;
  call.batch[1] = 1;
  if (sizes.batch > 1) {
    call.a_step[0] = sizes.rows * sizes.inner;
    call.b_step[0] = sizes.inner * sizes.columns;
    call.c_step[0] = sizes.rows * sizes.columns;
  }
  call.precision = precision;
  return call;
}

// Heads: SplitHeads or MergeHeads. `split`: from [batch, length, heads d_k] to [batch, heads, length, d_k], which is also the
// gradient of merging; else the other way. heads_call(op, true, x, y) splits x.
template <class Heads>
HeadsCall heads_call(const Heads& op, bool split, const float* input, float* output) {
  HeadsCall call;
  clear(call);
  call.batch = op.batch;
  call.length = op.length;
  call.heads = op.heads;
  call.d_k = op.d_k;
  call.split = split;
  call.input = input;
  call.output = output;
  return call;
}

}  // namespace headlight::backends::cuda
