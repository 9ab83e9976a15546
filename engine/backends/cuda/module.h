// The boundary of the CUDA module: plain C types only, so that the module needs nothing of the engine and the engine nothing of
// CUDA. All pointers named d_* or inside *Call structures are device memory.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headlight::backends::cuda {

inline constexpr int kModuleVersion = 1;
inline constexpr const char* kModuleFactory = "headlight_cuda_module";

struct LinearCall {  // y[rows, columns] = activation(x[rows, inner] w[inner, columns] + bias)
  std::int64_t rows, inner, columns;
  int activation;  // none, relu, gelu, tanh
  const float *x, *w, *bias;
  float* y;
};

struct RowsCall {  // gather: y[rows, d] = x[ids]; add: y = x + other; layer_norm: other = gamma, more = beta
  std::int64_t rows, d;
  const float *x, *other, *more;
  const std::int32_t* ids;
  bool repeats;  // add: `other` is one row for all
  float epsilon;
  float* y;
};

struct HeadsCall {  // [batch, length, heads * d_k] <-> [batch, heads, length, d_k]
  std::int64_t batch, length, heads, d_k;
  bool split;
  const float* x;
  float* y;
};

struct AttentionCall {  // as backends::Attention; outputs and masks may be null
  std::int64_t batch, heads, kv_heads, queries, keys, d_k, d_v;
  float scale, inverse_temperature, fill;
  const float *q, *k, *v;
  const std::uint8_t* keep;
  const float* bias;
  std::int64_t mask_step[4];
  float *context, *scores, *scaled, *masked, *weights;
};

// Functions that return false leave a sentence in error().
struct Module {
  int version;
  const char* device;  // "NVIDIA H200"
  const char* (*error)();
  void* (*allocate)(std::size_t bytes);  // null: failed
  void (*release)(void* d_memory);
  bool (*to_device)(void* d_to, const void* from, std::size_t bytes);
  bool (*to_host)(void* to, const void* d_from, std::size_t bytes);
  bool (*linear)(const LinearCall&);
  bool (*gather)(const RowsCall&);
  bool (*add)(const RowsCall&);
  bool (*layer_norm)(const RowsCall&);
  bool (*move_heads)(const HeadsCall&);
  bool (*attention)(const AttentionCall&);
};

// Null if there is no usable GPU; `why` (of `size` bytes) then holds the driver's reason.
using Factory = const Module* (*)(char* why, std::size_t size);

}  // namespace headlight::backends::cuda
