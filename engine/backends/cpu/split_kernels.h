// Products in float32 on units that multiply tiles of bfloat16 numbers (AMX), as a table of functions. They are compiled for
// processors with AMX-BF16 alone.
//
// A float has 24 binary digits and a bfloat16 number has 8, so every number is split into three, x = x1 + x2 + x3: each is what
// is left of the number before it, rounded. Of the nine products of two such sums the six largest are added up, in float32; the
// others are below 2^-25 of the product (Henry et al. 2019, "Leveraging the bfloat16 Artificial Intelligence Datatype For
// Higher-Precision Computations"). Six such products take about half the time of one in float32 of the vector units.
#pragma once

#include <cstdint>

#include "engine/backends/cpu/cpu_kernels.h"

namespace headlight::backends::cpu {

struct SplitKernels {
  std::int64_t least_rows;  // with fewer rows, splitting B takes longer than it saves
  std::int64_t rows;        // of a block of A
  std::int64_t step;        // numbers of a row that one instruction multiplies; inner sizes are filled up with zeros
  std::int64_t block_step;  // halves of a block of A for each step
  std::int64_t panel_step;  // halves of a panel of B for each step
  std::int64_t whole_step;  // halves of a panel of whole numbers for each step

  // Splits at most `rows` rows of `inner` numbers, rows `lda` floats apart. sums [steps, rows] gets the sum of each step's
  // numbers, unless it is null.
  void (*split_rows)(const float* a, std::int64_t lda, std::int64_t rows, std::int64_t inner, std::uint16_t* to, float* sums);
  // Splits a panel as Kernels::pack packs it.
  void (*split_panel)(const float* packed, std::int64_t inner, std::uint16_t* to);
  // C [rows, columns] = activation(A B + bias), or activation(C + A B) if `more`; bias may be null. A's blocks are a_step halves
  // apart.
  void (*multiply)(std::int64_t rows, std::int64_t steps, std::int64_t columns, const std::uint16_t* a, std::int64_t a_step,
                   const std::uint16_t* panel, const float* bias, bool more, Activation activation, float* c, std::int64_t ldc);

  // Stored types whose numbers are d q + m, with one d and m for each step and whole numbers q that a bfloat16 number holds: then
  // three products are enough.
  bool (*are_whole)(checkpoints::StoredType type);
  // The q of at most `panel` columns, and d and m, [steps, 2, panel].
  void (*pack_whole)(const StoredColumns& w, std::uint16_t* to, float* factors);
  // As multiply; `sums` as split_rows gives them, of all blocks.
  void (*multiply_whole)(std::int64_t rows, std::int64_t steps, std::int64_t columns, const std::uint16_t* a, std::int64_t a_step,
                         const float* sums, const std::uint16_t* panel, const float* factors, const float* bias, bool more,
                         Activation activation, float* c, std::int64_t ldc);
};

#if defined(HEADLIGHT_X86_KERNELS)
namespace amx {
// The AVX-512 kernels with these beside them; null where the processor or the system has no AMX.
const Kernels* kernels();
}  // namespace amx
#endif

}  // namespace headlight::backends::cpu
