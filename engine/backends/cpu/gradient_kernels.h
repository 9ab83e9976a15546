// The innermost loops that only training needs, as a table of functions, one table per instruction set, like cpu_kernels.h.
#pragma once

#include <cstdint>

namespace headlight::backends::cpu {

// The constants of one step of AdamW (Loshchilov and Hutter 2019; the formula stands at GradientKernels::adamw). b1, b2: the
// decays of the moments m and v. gradient: the factor that clips the gradient. first: the factor of m, with the learning rate and
// the correction of m's start. second: the correction of v's start. kept: the factor of the weight, which decays.
struct AdamWFactors {
  float b1, b2, gradient, epsilon, first, second, kept;
};

struct GradientKernels {
  // dx = y (dy - sum(y dy)) factor, where y [count] is the result of a softmax.
  void (*softmax)(const float* y, const float* dy, std::int64_t count, float factor, float* dx);
  // The gradient of LayerNorm, or of RMSNorm if not `centred`: x, dy and dx are [rows, d], gamma [d]. The kernel adds to dgamma
  // and dbeta [d]. dx, dgamma and dbeta may each be null.
  void (*norm)(const float* x, const float* gamma, const float* dy, std::int64_t rows, std::int64_t d, float epsilon,
               bool centred, float* dx, float* dgamma, float* dbeta);
  // One row x [classes] of softmax cross-entropy, and its gradient, by operations/cross_entropy.h. Label -1: no label.
  void (*cross_entropy)(const float* x, std::int64_t classes, std::int32_t label, float smoothing, float* loss, float* log_sum);
  void (*cross_entropy_gradient)(const float* x, std::int64_t classes, std::int32_t label, float smoothing, float log_sum,
                                 float dloss, float* dx);
  // Dropout: y = x factor where operations::Draws keeps the place, else 0, for the places first .. first + count - 1.
  void (*drop)(const float* x, std::int64_t count, std::int64_t first, std::uint32_t key, std::uint32_t threshold, float factor,
               float* y);
  // y += x
  void (*accumulate)(const float* x, std::int64_t count, float* y);
  // d = g gradient; m = b1 m + (1 - b1) d; v = b2 v + (1 - b2) d^2; y = kept w - first m / (sqrt(second v) + epsilon)
  void (*adamw)(const AdamWFactors& by, const float* w, const float* g, std::int64_t count, float* m, float* v, float* y);
  // The sum of the squares, in double.
  double (*sum_of_squares)(const float* x, std::int64_t count);
  // y [columns] = the sums over the rows of x [rows, columns], whose rows are ldx floats apart.
  void (*sum_rows)(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t ldx, float* y);
  // y [columns, rows] = the transpose of x [rows, columns]; ldx, ldy: floats from one stored row to the next.
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
