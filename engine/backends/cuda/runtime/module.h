// The interface of the CUDA module: plain C types only, so that the module needs nothing of the engine and the engine nothing of
// CUDA. Pointers inside *Call structures point to device memory. Work is put on the session's one stream and runs there in order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headlight::backends::cuda {

inline constexpr int kModuleVersion = 5;
inline constexpr const char* kModuleFactory = "headlight_cuda_module";

enum Precision : int { kFloat32 = 0, kTensorFloat32 = 1, kBrainFloat16 = 2 };

// Matrix products in the notation of BLAS, for each matrix z and each batch (outer, inner):
//   c_z[rows, columns] = activation(a[rows, inner] b_z[inner, columns] + bias)
// Row r of a begins at a + r * a_row; from row `split` on, at a2 + (r - split) * a_row. b is [columns, inner] when transposed.
struct ProductCall {
  std::int64_t rows, inner, columns;
  const float *a, *a2;
  std::int64_t split, a_row;
  const float* b[3];
  std::int64_t b_row;
  bool transposed;
  const float* bias;  // [columns] or null
  int activation;
  float* c[3];
  std::int64_t c_row;
  int matrices;           // 1 to 3 pairs (b, c) that share one a
  std::int64_t batch[2];  // outer, inner
  std::int64_t a_step[2], b_step[2], c_step[2];
  bool skip_zeros;  // zeros of `a` take no part: 0 times NaN or infinity counts as 0
  Precision precision;
};

// output[r] = table[row], plus addend[addend_row] where an addend is given. Row r takes
//   row = ids[r], or ids[r] * places + r % places where places is above 0: a table of every symbol at every position
//   addend_row = addend_ids[r] where addend_ids is given, else r % period
struct GatherCall {
  std::int64_t rows, d;
  const float *table, *addend;           // [.., d]; addend may be null
  const std::int32_t *ids, *addend_ids;  // [rows]; addend_ids may be null
  std::int64_t period;                   // rows of `addend`
  std::int64_t places;
  float* output;  // [rows, d]
};

// output = input + addend
struct AddCall {
  std::int64_t rows, d;
  const float *input, *addend;  // [rows, d]
  bool repeats;                 // `addend` is one row [d], added to every row
  float* output;                // [rows, d]
};

// Layer normalisation over d (formula: layer_norm.cu); without a bias RMSNorm.
struct LayerNormCall {
  std::int64_t rows, d;
  const float* input;          // [rows, d]
  const float *weight, *bias;  // [d]: gamma and beta; bias may be null
  float epsilon;
  float* output;  // [rows, d]
};

// Splits heads, [batch, length, heads * d_k] -> [batch, heads, length, d_k], or merges them, the other way.
struct HeadsCall {
  std::int64_t batch, length, heads, d_k;
  bool split;
  const float* input;
  float* output;
};

struct AttentionCall {  // as backends::Attention; outputs and masks may be null
  std::int64_t batch, heads, kv_heads, queries, keys, d_k, d_v;
  float scale, inverse_temperature, fill;
  const float *q, *k, *v;
  const std::uint8_t* keep;
  const float* bias;
  std::int64_t mask_step[4];
  float *context, *scores, *scaled, *masked, *weights;
  Precision precision;
  bool simple;      // use the plain kernel, which the fast ones are checked against
  void* workspace;  // attention_workspace() bytes, free again when the call's work is done; null: only kernels that need none
};

// Everything that index-based attention computes from raw scores, per word w and head h (backends::Isdpa). The scores are looked
// up in `table` [heads, n + l, n + l], or read from `squares` [words, heads, l, l]. Any output may be null.
struct PoolCall {
  std::int64_t words, heads, length, vocabulary;
  const std::int32_t* ids;  // [words, l]
  const float *table, *squares;
  float scale;
  std::int32_t pad;               // symbol of padding; -1: none
  float *mm, *mp, *pm, *pp, *qk;  // [words, heads, l, l]; the first four from the table alone
  float* soft;                    // [words, heads, l, l]: softmax of each query's row
  float* score;                   // [words, heads, l]: mean of soft over the queries that are not padding
  float* spread;                  // [heads, words, n + l]: score added up by symbol, then by position
  Precision precision;            // bf16: tables in shared memory take two bytes a number
  // Where pools_to_result() is true: result[w, h] = spread[h, w] values[:, h], in the same launch; weights of 0 take no part.
  std::int64_t d_k;
  const float* values;  // [n + l, heads * d_k]
  float* result;        // [words, heads * d_k]
};

struct Info {
  char name[256];
  int index, major, minor;  // major, minor: compute capability
  int multiprocessors;
  int code;              // architecture of the loaded kernels: 75, 90, ...
  int driver, runtime;   // CUDA versions, 13000 for 13.0
  int products;          // version of cuBLASLt; 0: not installed
  std::uint64_t memory;  // bytes
  std::uint64_t shared;  // bytes of shared memory a block may have
};

enum Failure : int { kNoFailure = 0, kOutOfMemory = 1, kLost = 2, kOther = 3 };

struct Session;  // one GPU, its stream and its libraries
using Graph = void;

// Functions that fail return false, null or -1. error() then gives a sentence and failure() its kind, for the calling thread.
struct Module {
  int version;
  const char* (*error)();
  int (*failure)();
  int (*count)();  // number of GPUs
  Session* (*open)(int device, Info* info);
  void (*close)(Session*);

  void* (*allocate)(Session*, std::size_t bytes);
  void (*release)(Session*, void* d_memory);
  void* (*allocate_pinned)(Session*, std::size_t bytes);
  void (*release_pinned)(Session*, void* memory);
  bool (*memory_left)(Session*, std::uint64_t* bytes);
  // `from` may be changed after the return; if it is pinned memory, the call waits for the copy.
  bool (*to_device)(Session*, void* d_to, const void* from, std::size_t bytes);
  bool (*to_host)(Session*, void* to, const void* d_from, std::size_t bytes);  // the values have arrived after wait()
  bool (*wait)(Session*);

  // Work between begin_graph and end_graph is recorded, not run.
  bool (*begin_graph)(Session*);
  Graph* (*end_graph)(Session*);
  bool (*replay)(Session*, Graph*);
  void (*release_graph)(Session*, Graph*);

  // The clock starts after `after` seconds on the device: work queued until then is measured without the host's time.
  bool (*start_clock)(Session*, double after);
  bool (*stop_clock)(Session*, double* seconds);  // waits

  bool (*product)(Session*, const ProductCall&);
  bool (*gather)(Session*, const GatherCall&);
  bool (*add)(Session*, const AddCall&);
  bool (*layer_norm)(Session*, const LayerNormCall&);
  bool (*move_heads)(Session*, const HeadsCall&);
  // bytes of workspace that would make this call faster; 0: none
  std::size_t (*attention_workspace)(Session*, const AttentionCall&);
  bool (*attention)(Session*, const AttentionCall&);
  // name of the kernel that did the last product or attention: "attention_rows", "cuBLASLt", ...; never null
  const char* (*kernel)(Session*);
  bool (*pool)(Session*, const PoolCall&);
  bool (*pools_to_result)(Session*, const PoolCall&);  // whether one launch computes all of this call; never fails

  // For tests: makes the n-th CUDA call from now on fail, as on a lost device if `lost`; 0: none fails. Null in other builds.
  void (*fail_call)(long n, bool lost);
  long (*calls)();  // number of CUDA calls so far, without those that release
};

using Factory = const Module* (*)();

}  // namespace headlight::backends::cuda
