// The innermost loops that only training needs, as a table of functions, one table per instruction set, like cpu_kernels.h.
#pragma once

#include <cstdint>

namespace headlight::backends::cpu {

// What a step of AdamW multiplies with: the decays of both moments; the gradient (clipping); the mean in the step, with the rate
// and the correction of its start; the square's correction; the weight itself, which decays.
struct AdamWFactors {
  float b1, b2, gradient, epsilon, first, second, kept;
};

struct GradientKernels {
  // dx = y (dy - sum(y dy)) factor, where y [count] is a softmax's result.
  void (*softmax)(const float* y, const float* dy, std::int64_t count, float factor, float* dx);
  // LayerNorm's gradient of rows of d numbers, or RMSNorm's where not `centred`. dgamma and dbeta [d] are added to; each may be
  // null, dx too.
  void (*norm)(const float* x, const float* gamma, const float* dy, std::int64_t rows, std::int64_t d, float epsilon,
               bool centred, float* dx, float* dgamma, float* dbeta);
  // One row of softmax cross-entropy and of its gradient, as operations/cross_entropy.h says; label -1: none.
  void (*cross_entropy)(const float* x, std::int64_t classes, std::int32_t label, float smoothing, float* loss, float* log_sum);
  void (*cross_entropy_gradient)(const float* x, std::int64_t classes, std::int32_t label, float smoothing, float log_sum,
                                 float dloss, float* dx);
  // y = x factor where kept, else 0: operations::Draws for places first .. first + count - 1.
  void (*drop)(const float* x, std::int64_t count, std::int64_t first, std::uint32_t key, std::uint32_t threshold, float factor,
               float* y);
  // y += x
  void (*accumulate)(const float* x, std::int64_t count, float* y);
  // d = g gradient; m = b1 m + (1 - b1) d; v = b2 v + (1 - b2) d^2; y = kept w - first m / (sqrt(second v) + epsilon)
  void (*adamw)(const AdamWFactors& by, const float* w, const float* g, std::int64_t count, float* m, float* v, float* y);
  // The sum of the squares, in double.
  double (*sum_of_squares)(const float* x, std::int64_t count);
  // y [columns] = the sums over the rows of x [rows, columns], which are ldx floats apart.
  void (*sum_rows)(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t ldx, float* y);
  // y [columns, rows] = x [rows, columns] turned; ldx, ldy: floats from one stored row to the next.
  void (*transpose)(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t ldx, float* y, std::int64_t ldy);
};

#if defined(HEADLIGHT_X86_KERNELS)
namespace avx512 {
const GradientKernels& gradient_kernels();
}
namespace avx2 {
const GradientKernels& gradient_kernels();
}
#endif
namespace baseline {
const GradientKernels& gradient_kernels();
}

}  // namespace headlight::backends::cpu
