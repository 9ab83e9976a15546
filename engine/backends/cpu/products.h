// Matrix products in float32. Several products are computed at once, spread over the threads by tiles of rows and panels of
// columns.
#pragma once

#include <cstdint>
#include <span>

#include "engine/backends/cpu/cpu_kernels.h"
#include "engine/core/cancel.h"

namespace headlight::backends {
class StoredMatrix;
}

namespace headlight::backends::cpu {

// C [rows, columns] = activation(A [rows, inner] B + bias). B is [inner, columns], or stored as [columns, inner] if transposed.
// lda, ldb, ldc: floats from one stored row to the next.
struct Product {
  std::int64_t rows = 0, inner = 0, columns = 0;
  const float* a = nullptr;
  std::int64_t lda = 0;
  const float* b = nullptr;
  std::int64_t ldb = 0;
  bool b_transposed = false;
  const float* bias = nullptr;  // [columns] or null
  Activation activation = Activation::none;
  float* c = nullptr;
  std::int64_t ldc = 0;
  const float* packed = nullptr;  // B as pack() packs it, or null; if given, b is not read
  // B as its file stores it, or null; if given, b is not read, and each panel is widened by the thread that multiplies with it.
  const StoredMatrix* stored = nullptr;
};

// Computes all products. False if cancelled; the token is checked once per tile.
// multiply(kernels, {{.rows = 32, .inner = 64, .columns = 16, .a = a, .lda = 64, .b = b, .ldb = 16, .c = c, .ldc = 16}}, cancel)
bool multiply(const Kernels& kernels, std::span<const Product> products, const CancelToken& cancel);

// The floats of a packed B [inner, columns]. packed_size(kernels, 64, 40) is 2 x 64 x 32 = 4096 with panels of 32 columns.
std::int64_t packed_size(const Kernels& kernels, std::int64_t inner, std::int64_t columns);
// Packs B [inner, columns], or its transpose stored as [columns, inner] if `transposed`, panel after panel, into
// packed_size() floats; a panel is [inner, kernels.panel]. pack(kernels, w, 40, false, 64, 40, packed) packs w [64, 40].
void pack(const Kernels& kernels, const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns,
          float* packed);
// The same, spread over the threads. False if cancelled.
bool pack(const Kernels& kernels, const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns,
          float* packed, const CancelToken& cancel);
// C [rows, columns] = A [rows, inner] B on the calling thread, with B as pack() packed it.
// multiply_packed(kernels, 32, 64, 40, a, 64, packed, c, 40) multiplies a [32, 64] by that w.
void multiply_packed(const Kernels& kernels, std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a,
                     std::int64_t lda, const float* packed, float* c, std::int64_t ldc);
// The same with the rows first .. first + inner - 1 of a packed B of `packed_rows` rows.
// multiply_packed_rows(kernels, 32, 16, 8, 64, 40, a, 8, packed, c, 40) multiplies a [32, 8] by rows 16 .. 23 of that w.
void multiply_packed_rows(const Kernels& kernels, std::int64_t rows, std::int64_t first, std::int64_t inner,
                          std::int64_t packed_rows, std::int64_t columns, const float* a, std::int64_t lda, const float* packed,
                          float* c, std::int64_t ldc);

}  // namespace headlight::backends::cpu
