// The kernels of this instruction set, which kernels.cpp collects into the table. Their descriptions stand in
// engine/backends/cpu/cpu_kernels.h.
#pragma once

#include <cstdint>

#include "engine/backends/cpu/cpu_kernels.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {

#if defined(__AVX512F__)
inline constexpr std::int64_t kRows = 12;  // 24 accumulators, 2 of B, 1 of A: 27 of 32 registers
#elif defined(__AVX2__)
inline constexpr std::int64_t kRows = 6;  // 12 accumulators, 2 of B, 1 of A: 15 of 16 registers
#else
inline constexpr std::int64_t kRows = 4;
#endif
// Rows of a tile of multiply_small. Accumulators of so many rows and two registers of columns leave registers for the operands.
inline constexpr int kSmallRows = kRows >= 12 ? 8 : 4;

void pack(const float* b, std::int64_t ldb, bool transposed, std::int64_t inner, std::int64_t columns, float* packed);
void multiply(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t lda, const float* packed,
              const float* bias, bool more, Activation activation, float* c, std::int64_t ldc);
void multiply_small(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* a, std::int64_t a_row,
                    std::int64_t a_step, const float* b, std::int64_t ldb, bool more, float* c, std::int64_t ldc);
#if defined(__AVX2__)
inline constexpr int kStoredRows = 4;
void multiply_stored(std::int64_t rows, const StoredColumns& w, const float* a, std::int64_t lda, const float* bias,
                     Activation activation, float* c, std::int64_t ldc);
void pack_stored(const StoredColumns& w, float* packed);
#else
inline constexpr int kStoredRows = 0;
inline constexpr decltype(Kernels::multiply_stored) multiply_stored = nullptr;
inline constexpr decltype(Kernels::pack_stored) pack_stored = nullptr;
#endif
void additive_scores(std::int64_t rows, std::int64_t inner, std::int64_t columns, const float* q, const float* packed,
                     const float* a, float* c, std::int64_t ldc);
void activate(Activation activation, const float* x, std::int64_t count, float* y);
void activate_gradient(Activation activation, const float* x, const float* dy, std::int64_t count, float* dx);
void activate_with_slope(Activation activation, const float* x, std::int64_t count, float* y, float* slope);

void scale(const float* x, std::int64_t count, float factor, float* y);
void mask_keep(const float* x, std::int64_t count, float factor, const std::uint8_t* keep, std::int64_t step, float fill,
               float* y);
void mask_add(const float* x, std::int64_t count, float factor, const float* bias, std::int64_t step, float* y);
void softmax(const float* x, std::int64_t count, float inverse_temperature, float* y);

void add(const float* a, const float* b, std::int64_t count, float* y);
void multiply_each(const float* a, const float* b, std::int64_t count, float* y);
void layer_norm(const float* x, const float* gamma, const float* beta, std::int64_t d, float epsilon, float* y);
void weighted_sum(const float* weights, const float* x, std::int64_t rows, std::int64_t ldx, std::int64_t d, bool more, float* y);

void pool(const float* qk, const std::int32_t* ids, const WordTables& tables, float* scratch, float* weights, float* score);
void pool_indexed(const std::int32_t* ids, const WordTables& tables, float* scratch, float* qk, float* weights, float* score);
void pool_exponentials(const std::int32_t* ids, const WordTables& tables, float* scratch, float* score);
void exponentials(const float* x, std::int64_t count, float factor, float* y);
float largest_magnitude(const float* x, std::int64_t count);
const GradientKernels& gradient_kernels();

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
