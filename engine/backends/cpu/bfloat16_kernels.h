// The innermost loops of products whose operands are rounded to bfloat16 and whose sums are float32 (VDPBF16PS), as a table of
// functions. They are compiled for processors with AVX512-BF16 alone.
//
// Both operands are packed the same way. A line is a row of A or a column of B; a sum runs along two lines. A panel holds `width`
// lines as [pairs, width] lanes of 32 bits. Lane p of a line holds its numbers 2p and 2p + 1, rounded to nearest even, the first
// one in the lower half. Missing lines and numbers are zeros.
#pragma once

#include <cstdint>

namespace headlight::backends::cpu {

struct Bfloat16Kernels {
  std::int64_t rows, columns;  // widths of the panels of A and of B; `rows` divides 16, and 16 divides `columns`

  // Packs `lines` lines of `inner` numbers into panels of `width` lines. Number k of line i is x[i ldx + k], or x[k ldx + i] if
  // `turned`. `step`: lanes from one panel to the next.
  void (*pack)(const float* x, std::int64_t ldx, bool turned, std::int64_t lines, std::int64_t inner, std::int64_t width,
               std::uint32_t* to, std::int64_t step);
  // C [rows, columns] = start + A B, over `pairs` pairs of numbers of the packed A and B, whose panels are a_step and b_step
  // lanes apart. start [rows, columns] has rows `start_step` floats apart: 0 for a bias, or C itself to add to C; null: zeros.
  void (*multiply)(std::int64_t rows, std::int64_t columns, std::int64_t pairs, const std::uint32_t* a, std::int64_t a_step,
                   const std::uint32_t* b, std::int64_t b_step, const float* start, std::int64_t start_step, float* c,
                   std::int64_t ldc);
};

// Null where the processor has no such instruction.
const Bfloat16Kernels* bfloat16_kernels();

#if defined(HEADLIGHT_X86_KERNELS)
namespace avx512_bf16 {
const Bfloat16Kernels& kernels();
}
#endif

}  // namespace headlight::backends::cpu
