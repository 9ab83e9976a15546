// The innermost loops of the CPU backend as a table of functions, one table per instruction set. They take plain pointers only:
// the same sources are compiled once per set, and the linker must not share inline functions between sets.
#pragma once

#include <cstddef>
#include <cstdint>

namespace headlight::checkpoints {
enum class StoredType : std::uint8_t;  // stored_type.h
}

namespace headlight::backends::cpu {

enum class Activation : std::int32_t { none, relu, gelu, tanh, silu, gelu_tanh };  // in the order of ActivationKind

// One head of one word of index-based attention. `table` holds the scores of all symbols and positions with each other:
// [n + l, n + l]; row and column s < n is a symbol, n + i a position.
struct WordTables {
  const float* table = nullptr;
  std::int64_t n = 0, l = 0;
  float scale = 1;        // 1 / sqrt(d_k)
  std::int32_t pad = -1;  // the symbol that is masked; -1: none
};

// Some columns of a weight matrix as its file stores them: of[j] is where column j begins. Of each one, the `inner` numbers in
// whole blocks behind its first `skipped` bytes.
struct StoredColumns {
  checkpoints::StoredType type;
  std::int64_t inner = 0, count = 0;
  const std::byte* const* of = nullptr;
  std::int64_t skipped = 0;
};

struct GradientKernels;  // gradient_kernels.h
struct SplitKernels;     // split_kernels.h

struct Kernels {
  const char* label;          // "AVX-512"
  std::int64_t panel;         // columns of a packed panel: 32 with AVX-512, 16 with AVX2, 8 otherwise
  std::int64_t row_multiple;  // rows per step of `multiply`; row blocks should be multiples of it

  // Packs B [inner, columns] (row stride ldb), or its transpose stored as [columns, inner] if transposed, columns <= panel, into
  // packed [inner, panel], zeros beyond `columns`.
  void (*pack)(const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns, float* packed);
  // C [rows, columns] = activation(A [rows, inner] panel [inner, columns] + bias [columns]), or activation(C + A panel) if
  // `more`; bias may be null.
  void (*multiply)(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t lda,
                   const float* packed, const float* bias, bool more, Activation activation, float* c, std::int64_t ldc);
  std::int64_t small_rows;  // rows per step of `multiply_small`
  // C [rows, columns] = A B, or C + A B if `more`, for matrices too small to be packed: A[i, k] is a[i a_row + k a_step], B[k, j]
  // is b[k ldb + j].
  void (*multiply_small)(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t a_row,
                         std::int64_t a_step, const float* b, std::int64_t ldb, bool more, float* c, std::int64_t ldc);
  std::int64_t stored_rows;  // the most rows of `multiply_stored`; 0: no kernels for stored columns, and both are null
  // C [rows, w.count] = activation(A [rows, w.inner] W + bias); bias may be null. The columns are widened in registers.
  void (*multiply_stored)(std::int64_t rows, const StoredColumns& w, const float* a, std::int64_t lda, const float* bias,
                          Activation activation, float* c, std::int64_t ldc);
  // Packs w.count <= panel columns as `pack` does.
  void (*pack_stored)(const StoredColumns& w, float* packed);
  // Additive scores (Bahdanau et al. 2015, A.1.2) of rows of q [rows, inner] with the keys of a panel: C [rows, columns] = sum
  // over i < inner of a[i] tanh(q[:, i] + panel[i, :]). C's rows are `ldc` floats apart, q's are `inner`.
  void (*additive_scores)(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* q, const float* packed,
                          const float* a, float* c, std::int64_t ldc);
  // y = f(x), and dx = dy f'(x) for the same f. y may be x; dx may be x or dy. At 0 the derivative of relu is 0.
  void (*activate)(Activation activation, const float* x, std::int64_t count, float* y);
  void (*activate_gradient)(Activation activation, const float* x, const float* dy, std::int64_t count, float* dx);
  // y = f(x) and slope = f'(x).
  void (*activate_with_slope)(Activation activation, const float* x, std::int64_t count, float* y, float* slope);

  // y = x * scale; y = keep ? x * scale : fill; y = x * scale + bias. `step` is 1, or 0 if one value of keep or bias is for the
  // whole row.
  void (*scale)(const float* x, std::int64_t count, float scale, float* y);
  void (*mask_keep)(const float* x, std::int64_t count, float scale, const std::uint8_t* keep, std::int64_t step, float fill,
                    float* y);
  void (*mask_add)(const float* x, std::int64_t count, float scale, const float* bias, std::int64_t step, float* y);
  // y = softmax(x * inverse_temperature); a row of only -inf becomes all zeros. y may be x.
  void (*softmax)(const float* x, std::int64_t count, float inverse_temperature, float* y);

  // y = a + b and y = a b, number by number.
  void (*add)(const float* a, const float* b, std::int64_t count, float* y);
  void (*multiply_each)(const float* a, const float* b, std::int64_t count, float* y);
  // y [d] = LayerNorm of x [d] (Ba et al. 2016). beta null: RMSNorm, which has no beta and does not subtract the mean.
  void (*layer_norm)(const float* x, const float* gamma, const float* beta, std::int64_t d, float epsilon, float* y);
  // y [d] = sum over rows j of weights[j] x[j, :], row stride ldx. Adds to y if `more`.
  void (*weighted_sum)(const float* weights, const float* x, std::int64_t rows, std::int64_t ldx, std::int64_t d, bool more,
                       float* y);

  // score [l] = mean over the queries of softmax(qk * scale), from raw qk [l, l]. `scratch` holds l floats. weights [l, l] gets
  // the softmax of every query, padding included, unless it is null.
  void (*pool)(const float* qk, const std::int32_t* ids, const WordTables& tables, float* scratch, float* weights, float* score);
  // The same with scores looked up in the tables, so that no [l, l] has to be written. `scratch` holds n + 2 l floats. qk [l, l]
  // gets the scores, unless it is null.
  void (*pool_indexed)(const std::int32_t* ids, const WordTables& tables, float* scratch, float* qk, float* weights,
                       float* score);
  // The same score, where `tables.table` holds e^(scale x) for each score x: e^(a+b+c+d) is then a product of four numbers that
  // are looked up, and no exponential has to be computed. The caller ensures that no product overflows or underflows; the column
  // of a padding symbol must be 0. `scratch` holds n + 2 l floats and 128 more.
  void (*pool_exponentials)(const std::int32_t* ids, const WordTables& tables, float* scratch, float* score);
  // y = e^(factor x).
  void (*exponentials)(const float* x, std::int64_t count, float factor, float* y);
  // The largest |x|; NaN if any x is not finite.
  float (*largest_magnitude)(const float* x, std::int64_t count);

  const GradientKernels* gradients;  // of the same instruction set
  const SplitKernels* split;         // null where the processor lacks them
};

#if defined(HEADLIGHT_X86_KERNELS)
namespace avx512 {
const Kernels& kernels();
}
namespace avx2 {
const Kernels& kernels();
}
#endif
namespace baseline {
const Kernels& kernels();
}

}  // namespace headlight::backends::cpu
