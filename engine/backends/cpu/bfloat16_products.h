// Matrix products whose operands are rounded to bfloat16 while they are packed, with float32 sums. Each sum adds all of `inner`
// in order, two products at a time, whatever the number of rows and of threads.
#pragma once

#include <cstdint>

#include "engine/backends/cpu/bfloat16_kernels.h"
#include "engine/core/cancel.h"

namespace headlight::backends::cpu {

// A matrix as it is stored: its rows are `ld` floats apart, or the rows of its stored transpose if `turned`.
struct Operand {
  const float* numbers = nullptr;
  std::int64_t ld = 0;
  bool turned = false;
};

// C [rows, columns] = A [rows, inner] B [inner, columns] + bias [columns]; bias may be null.
struct RoundedProduct {
  std::int64_t rows = 0, inner = 0, columns = 0;
  Operand a, b;
  const float* bias = nullptr;
  float* c = nullptr;
  std::int64_t ldc = 0;
};

// False if cancelled. Each thread that calls it keeps a workspace as large as the smaller packed operand.
// multiply(kernels, {32, 64, 16, {a, 64, false}, {b, 16, false}, nullptr, c, 16}, cancel): a [32, 64] times b [64, 16].
bool multiply(const Bfloat16Kernels& kernels, const RoundedProduct& product, const CancelToken& cancel);

}  // namespace headlight::backends::cpu
