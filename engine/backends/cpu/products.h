// Matrix products, several at once, spread over the threads by tiles of rows and panels of columns.
#pragma once

#include <cstdint>
#include <span>

#include "engine/backends/cpu/cpu_kernels.h"
#include "engine/core/cancel.h"

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
  const float* packed = nullptr;  // B as pack() packs it; then b is not read
};

// False if cancelled; the token is checked once per tile.
bool multiply(const Kernels& kernels, std::span<const Product> products, const CancelToken& cancel);

// Packs all of B, panel after panel of [inner, kernels.panel], into packed_size() floats.
std::int64_t packed_size(const Kernels& kernels, std::int64_t inner, std::int64_t columns);
void pack(const Kernels& kernels, const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns,
          float* packed);
// The same, spread over the threads. False if cancelled.
bool pack(const Kernels& kernels, const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns,
          float* packed, const CancelToken& cancel);
// C = A B on the calling thread, with B as pack() packed it.
void multiply_packed(const Kernels& kernels, std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a,
                     std::int64_t lda, const float* packed, float* c, std::int64_t ldc);
// The same with rows first .. first + inner - 1 of a B of `packed_rows` rows.
void multiply_packed_rows(const Kernels& kernels, std::int64_t rows, std::int64_t first, std::int64_t inner,
                          std::int64_t packed_rows, std::int64_t columns, const float* a, std::int64_t lda, const float* packed,
                          float* c, std::int64_t ldc);

}  // namespace headlight::backends::cpu
