// The interface of the CUDA module. It has plain C types only, so that the module needs nothing of the engine and the engine
// nothing of CUDA. Pointers inside *Call structures point to device memory. Work is put on the session's one stream and runs
// there in order.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headlight::backends::cuda {

inline constexpr int kModuleVersion = 7;
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
  bool skip_zeros;  // zeros of `a` are left out of the sums: 0 times NaN or infinity counts as 0
  Precision precision;
};

// output[r] = table[row] + addend[addend_row], without the addend if it is null, where
//   row = ids[r]; if places > 0, ids[r] * places + r % places, for a table of every symbol at every position
//   addend_row = addend_ids[r]; if addend_ids is null, r % period
struct GatherCall {
  std::int64_t rows, d;
  const float *table, *addend;           // rows of d numbers; addend may be null
  const std::int32_t *ids, *addend_ids;  // [rows]; addend_ids may be null
  std::int64_t period;                   // rows of `addend`
  std::int64_t places;
  float* output;  // [rows, d]
};

// output = input + addend.
struct AddCall {
  std::int64_t rows, d;
  const float *input, *addend;  // [rows, d]
  bool repeats;                 // `addend` is one row [d], added to every row
  float* output;                // [rows, d]
};

// Layer normalisation over d (the formula stands in layer_norm.cu).
struct LayerNormCall {
  std::int64_t rows, d;
  bool centred;                // LayerNorm, else RMSNorm
  const float* input;          // [rows, d]
  const float *weight, *bias;  // [d]: gamma and beta; bias may be null
  float epsilon;
  float* output;  // [rows, d]
};

// Splits heads, [batch, length, heads * d_k] -> [batch, heads, length, d_k], or merges them, the other way round.
struct HeadsCall {
  std::int64_t batch, length, heads, d_k;
  bool split;
  const float* input;
  float* output;
};

// Attention, with the shapes of operations/attention.h; keep, bias and the outputs but `context` may be null.
struct AttentionCall {
  std::int64_t batch, heads, kv_heads, queries, keys, d_k, d_v;
  float scale, inverse_temperature, fill;
  const float *q, *k, *v;
  const std::uint8_t* keep;
  const float* bias;
  std::int64_t mask_step[4];
  float *context, *scores, *scaled, *masked, *weights;
  Precision precision;
  bool simple;      // use the plain kernel, with which tests compare the fast kernels
  void* workspace;  // attention_workspace() bytes, in use until the call's work is done; null: only kernels that need none
};

// The part of index-based attention (operations/isdpa.h) that begins with raw scores, for every word w and head h. The scores are
// looked up in `table` [heads, n + l, n + l], or read from `squares` [words, heads, l, l]. Any output may be null.
struct PoolCall {
  std::int64_t words, heads, length, vocabulary;
  const std::int32_t* ids;  // [words, l]
  const float *table, *squares;
  float scale;
  std::int32_t pad;               // symbol of padding; -1: none
  float *mm, *mp, *pm, *pp, *qk;  // [words, heads, l, l]; the first four need `table`
  float* soft;                    // [words, heads, l, l]: softmax of each query's row
  float* score;                   // [words, heads, l]: mean of soft over the queries that are not padding
  float* spread;                  // [heads, words, n + l]: score added up by symbol, then by position
  Precision precision;            // bf16: tables in shared memory take two bytes a number
  // If pools_to_result() is true, the same launch computes result[w, h] = spread[h, w] values[:, h], without weights of 0.
  std::int64_t d_k;
  const float* values;  // [n + l, heads * d_k]
  float* result;        // [words, heads * d_k]
};

// --- the operations of a training -----------------------------------------------------------------------------------------

// The draws of dropout, which depend on seed, counter and place alone (engine/operations/dropout.h).
struct DropoutDraws {
  const std::int32_t* counter;  // [1], read when the work runs, so that the launches of all steps are equal; null: no dropout
  std::uint64_t seed;
  std::uint32_t threshold;  // a number is dropped if its draw, from 0 to 2^32 - 1, is below
  float factor;             // 1 / (1 - rate), by which kept numbers are multiplied
};

enum class Element : std::int32_t { copy, repeat, multiply, activate, activation_gradient, dropout };

// Element-wise operations, over x = input and y = other:
//   copy: x; repeat: x[i mod period]; multiply: x y; activate: f(x)
//   activation_gradient: y f'(x), where y is the gradient of f(x); dropout: x factor if the place is kept, else 0
struct ElementsCall {
  Element element;
  int activation;  // ActivationKind
  std::int64_t count, period;
  const float *input, *other;  // [count]; the input of repeat: [period]
  DropoutDraws draws;
  float* output;  // [count]; it may be one of the inputs
};

// output[z, column, row] = input[z, row, column], or 0 where dropout drops number (z, row, column).
struct TransposeCall {
  std::int64_t batch, rows, columns;
  const float* input;  // [batch, rows, columns]
  DropoutDraws draws;
  float* output;  // [batch, columns, rows]
};

// Rotary positions (operations::Rotary): each pair of a row is turned, or turned back.
struct RotaryCall {
  std::int64_t rows, length, d_k;
  bool halves, back;   // halves: pairs are d_k / 2 apart, else neighbours; back: turn back
  const float* turns;  // [length, d_k / 2, 2]: cosine and sine
  const float* input;  // [rows, d_k]
  float* output;
};

// Sums over rows. The rows are divided into `parts` parts of neighbours: output[p, column] = the sum of input[row, column] over
// the rows of part p. If `x` is given, the terms are input[row, column] times the normalised x[row, column].
struct RowSumCall {
  std::int64_t rows, columns, parts;
  const float *input, *x;   // [rows, columns]; x may be null
  const float* statistics;  // [rows, 3], as NormGradientCall writes them
  float* output;            // [parts, columns]
};

// The gradient of the input of LayerNorm or RMSNorm, and each row's statistics, which the gradient of its weight needs.
struct NormGradientCall {
  std::int64_t rows, d;
  bool centred;  // LayerNorm, else RMSNorm
  float epsilon;
  const float *x, *weight, *dy;  // [rows, d], [d], [rows, d]
  float* dx;                     // [rows, d] or null
  float* statistics;             // [rows, 3]: two numbers whose sum is the mean, and 1 / sqrt(variance + epsilon)
};

// The gradient of a look-up: d_table[id] = the sum of dy[r] over the rows r with ids[r] == id, in their order, or 0.
struct GatherGradientCall {
  std::int64_t rows, table_rows, d;
  const std::int32_t* ids;  // [rows]
  const float* dy;          // [rows, d]
  float* d_table;           // [table_rows, d]
};

// Turns the gradient of the weights after dropout into the gradient of the raw scores, row by row and in place:
//   g = gradient factor if dropout keeps the place, else 0
//   gradient = weights (g - sum of weights g) scale / temperature, or 0 if masked
struct ScoreGradientCall {
  std::int64_t batch, heads, queries, keys;
  float scale, inverse_temperature;
  const float* weights;      // [batch, heads, queries, keys], before dropout
  const std::uint8_t* keep;  // the mask, or null
  std::int64_t mask_step[4];
  DropoutDraws draws;
  float* gradient;  // [batch, heads, queries, keys]
};

// Copies a mask and a bias that broadcast differently to the shape `sizes` [batch, heads, queries, keys] that both broadcast to,
// each size 1 or the attention's. Attention reads both with the steps of one shape.
struct MasksCall {
  std::int64_t sizes[4];
  const std::uint8_t* keep;
  const float* bias;
  std::int64_t keep_step[4], bias_step[4];
  std::uint8_t* all_keep;  // sizes
  float* all_bias;         // sizes
};

// Cross-entropy of each row (operations::CrossEntropy); if dy is given, the gradient of x.
struct CrossEntropyCall {
  std::int64_t rows, classes;
  float smoothing;
  const float* x;              // [rows, classes]
  const std::int32_t* labels;  // [rows]; -1: none
  const float* dy;             // [rows] or null
  float *loss, *log_sum;       // [rows]; with dy, log_sum is read and loss is null
  float* dx;                   // [rows, classes] or null
};

// The mean of the losses of rows with a label; if dy is given, the gradient of the losses.
struct MeanLossCall {
  std::int64_t rows;
  const float* losses;         // [rows]
  const std::int32_t* labels;  // [rows]; -1: none
  const float* dy;             // [1] or null
  float* output;               // [1]; if dy is given, [rows]
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

// A sentence of the module: a text with {} for each value, and the values. Headlight's own Message is C++20 and its own memory.
constexpr int kSaidValues = 4, kSaidValue = 192;
struct Said {
  const char* text;  // constant
  int count;
  char values[kSaidValues][kSaidValue];
};

// The functions of the module. A function that fails returns false, null or -1; error() then gives the calling thread a sentence,
// and failure() a Failure. add(session, call) puts one addition on the stream.
struct Module {
  int version;
  const Said* (*error)();
  int (*failure)();
  int (*count)();  // number of GPUs
  Session* (*open)(int device, Info* info);
  void (*close)(Session*);

  void* (*allocate)(Session*, std::size_t bytes);
  void (*release)(Session*, void* d_memory);
  void* (*allocate_pinned)(Session*, std::size_t bytes);
  void (*release_pinned)(Session*, void* memory);
  bool (*memory_left)(Session*, std::uint64_t* bytes);
  // Copies to the device. `from` may be changed after the return; if it is pinned memory, the call waits for the copy.
  bool (*to_device)(Session*, void* d_to, const void* from, std::size_t bytes);
  bool (*to_host)(Session*, void* to, const void* d_from, std::size_t bytes);  // the values have arrived after wait()
  bool (*wait)(Session*);

  // Work between begin_graph and end_graph is recorded, not run.
  bool (*begin_graph)(Session*);
  Graph* (*end_graph)(Session*);
  bool (*replay)(Session*, Graph*);
  void (*release_graph)(Session*, Graph*);

  // Starts the clock after `after` seconds on the device. Work that is queued by then is timed without the host's time.
  bool (*start_clock)(Session*, double after);
  bool (*stop_clock)(Session*, double* seconds);  // waits for the work, and gives the seconds since the clock started

  bool (*product)(Session*, const ProductCall&);
  bool (*gather)(Session*, const GatherCall&);
  bool (*add)(Session*, const AddCall&);
  bool (*layer_norm)(Session*, const LayerNormCall&);
  bool (*move_heads)(Session*, const HeadsCall&);
  // Bytes of workspace that would make this call faster; 0: none.
  std::size_t (*attention_workspace)(Session*, const AttentionCall&);
  bool (*attention)(Session*, const AttentionCall&);
  // The name of the kernel of the last product or attention: "attention_fused", "cuBLASLt", ...; never null.
  const char* (*kernel)(Session*);
  bool (*pool)(Session*, const PoolCall&);
  bool (*pools_to_result)(Session*, const PoolCall&);  // whether one launch computes all of this call; never fails

  bool (*elements)(Session*, const ElementsCall&);
  bool (*transpose)(Session*, const TransposeCall&);
  bool (*rotary)(Session*, const RotaryCall&);
  bool (*row_sum)(Session*, const RowSumCall&);
  bool (*norm_gradient)(Session*, const NormGradientCall&);
  bool (*gather_gradient)(Session*, const GatherGradientCall&);
  bool (*score_gradient)(Session*, const ScoreGradientCall&);
  bool (*masks)(Session*, const MasksCall&);
  bool (*cross_entropy)(Session*, const CrossEntropyCall&);
  bool (*mean_loss)(Session*, const MeanLossCall&);

  // For tests: makes the n-th CUDA call from now on fail, as on a lost device if `lost`; 0: none fails. Null in other builds.
  void (*fail_call)(long n, bool lost);
  long (*calls)();  // number of CUDA calls so far, without calls that release memory
};

using Factory = const Module* (*)();

}  // namespace headlight::backends::cuda
