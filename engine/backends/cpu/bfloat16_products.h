// Matrix products whose operands are rounded to bfloat16 while they are packed, with float32 sums. A sum is one chain over all of
// `inner` in order, two products at a time, whatever the number of rows and of threads.
#pragma once

#include <cstdint>

#include "engine/backends/cpu/bfloat16_kernels.h"
#include "engine/core/cancel.h"

namespace headlight::backends::cpu {

// A matrix as it is stored: rows `ld` floats apart, or those of its transpose if `turned`.
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

// False if cancelled. It keeps workspaces as large as the smaller operand for each thread that calls it.
bool multiply(const Bfloat16Kernels& kernels, const RoundedProduct& product, const CancelToken& cancel);

}  // namespace headlight::backends::cpu
