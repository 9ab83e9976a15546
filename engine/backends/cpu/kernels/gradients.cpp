// The gradients of softmax, norms and cross-entropy, dropout, sums and a matrix turned. gradient_kernels.h says what each does.
#include "engine/backends/cpu/gradient_kernels.h"

#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

// sum over i of f(i), where f gives the numbers from i on as a register, zeros beyond `count`.
template <class F>
inline float sum_over(std::int64_t count, const F& f) {
  V sums = splat(0);
  for (std::int64_t i = 0; i + kLanes <= count; i += kLanes) sums += f(i, kLanes);
  const std::int64_t rest = count % kLanes;
  if (rest) sums += f(count - rest, rest);
  return sum_of(sums);
}
inline V some(const float* p, std::int64_t count) { return count == kLanes ? load(p) : load_part(p, count, 0); }

void softmax_gradient(const float* y, const float* dy, std::int64_t count, float factor, float* dx) {
  const float mean = sum_over(count, [&](std::int64_t i, std::int64_t n) { return some(y + i, n) * some(dy + i, n); });
  for (std::int64_t i = 0; i < count; ++i) dx[i] = y[i] * (dy[i] - mean) * factor;
}

void norm(const float* __restrict x, const float* __restrict gamma, const float* __restrict dy, std::int64_t d, float epsilon,
          bool centred, float* __restrict dx, float* __restrict dgamma, float* __restrict dbeta) {
  const float width = static_cast<float>(d);
  const float mean = centred ? sum_over(d, [&](std::int64_t i, std::int64_t n) { return some(x + i, n); }) / width : 0.0f;
  float h_sum = 0;
  // Beyond the row's end the lanes are the mean, which adds nothing.
  const float squares = sum_over(d, [&](std::int64_t i, std::int64_t n) {
    const V c = (n == kLanes ? load(x + i) : load_part(x + i, n, mean)) - splat(mean);
    return c * c;
  });
  const float inverse = 1.0f / __builtin_sqrtf(squares / width + epsilon);
  if (centred) h_sum = sum_over(d, [&](std::int64_t i, std::int64_t n) { return some(dy + i, n) * some(gamma + i, n); });
  const float hn_sum = sum_over(
      d, [&](std::int64_t i, std::int64_t n) { return some(dy + i, n) * some(gamma + i, n) * (some(x + i, n) - splat(mean)); });
  const float mean_h = h_sum / width, mean_hn = hn_sum / width * inverse;
  if (dgamma)
    for (std::int64_t i = 0; i < d; ++i) dgamma[i] += dy[i] * (x[i] - mean) * inverse;
  if (dbeta)
    for (std::int64_t i = 0; i < d; ++i) dbeta[i] += dy[i];
  if (dx)
    for (std::int64_t i = 0; i < d; ++i) dx[i] = (dy[i] * gamma[i] - mean_h - (x[i] - mean) * (inverse * mean_hn)) * inverse;
}

void cross_entropy(const float* x, std::int64_t classes, std::int32_t label, float smoothing, float* loss, float* log_sum) {
  const std::int64_t whole = classes / kLanes * kLanes;
  const V none = splat(-__builtin_inff());
  const V last = whole < classes ? load_part(x + whole, classes - whole, -__builtin_inff()) : none;
  V most = last;
  for (std::int64_t j = 0; j < whole; j += kLanes) {
    const V v = load(x + j);
    most = v > most ? v : most;
  }
  const float largest = max_of(most);
  V sums = whole < classes ? exp_of(last - splat(largest)) : splat(0);
  for (std::int64_t j = 0; j < whole; j += kLanes) sums += exp_of(load(x + j) - splat(largest));
  *log_sum = largest + __builtin_logf(sum_of(sums));
  float mean = 0;
  if (smoothing > 0)
    mean = sum_over(classes, [&](std::int64_t i, std::int64_t n) { return some(x + i, n); }) / static_cast<float>(classes);
  *loss = label < 0 ? 0.0f : *log_sum - (1 - smoothing) * x[label] - smoothing * mean;
}

void cross_entropy_gradient(const float* x, std::int64_t classes, std::int32_t label, float smoothing, float log_sum, float dloss,
                            float* dx) {
  if (label < 0) {
    for (std::int64_t j = 0; j < classes; ++j) dx[j] = 0;
    return;
  }
  const float everywhere = smoothing / static_cast<float>(classes);
  const std::int64_t whole = classes / kLanes * kLanes;
  for (std::int64_t j = 0; j < whole; j += kLanes)
    store(dx + j, (exp_of(load(x + j) - splat(log_sum)) - splat(everywhere)) * splat(dloss));
  if (whole < classes)
    store_part(dx + whole, classes - whole,
               (exp_of(load_part(x + whole, classes - whole, 0) - splat(log_sum)) - splat(everywhere)) * splat(dloss));
  dx[label] -= (1 - smoothing) * dloss;
}

void drop(const float* x, std::int64_t count, std::int64_t first, std::uint32_t key, std::uint32_t threshold, float factor,
          float* y) {
  for (std::int64_t i = 0; i < count; ++i) {
    auto h = static_cast<std::uint32_t>(first + i) ^ key;
    h ^= h >> 16;
    h *= 0x85ebca6bU;
    h ^= h >> 13;
    h *= 0xc2b2ae35U;
    h ^= h >> 16;
    y[i] = h >= threshold ? x[i] * factor : 0.0f;
  }
}

void accumulate(const float* x, std::int64_t count, float* y) {
  for (std::int64_t i = 0; i < count; ++i) y[i] += x[i];
}

// By blocks of 16 x 16, whose lines stay in the first-level cache.
void transpose(const float* __restrict x, std::int64_t rows, std::int64_t columns, std::int64_t ldx, float* __restrict y,
               std::int64_t ldy) {
  constexpr std::int64_t kBlock = 16;
  const std::int64_t whole_rows = rows / kBlock * kBlock, whole_columns = columns / 8 * 8;
  for (std::int64_t row = 0; row < whole_rows; row += kBlock)
    for (std::int64_t column = 0; column < whole_columns; column += 8)
      for (std::int64_t half = 0; half < kBlock; half += 8)
        transpose8(x + (row + half) * ldx + column, ldx, y + column * ldy + row + half, ldy);
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = row < whole_rows ? whole_columns : 0; column < columns; ++column)
      y[column * ldy + row] = x[row * ldx + column];
}

}  // namespace

const GradientKernels& gradient_kernels() {
  static constexpr GradientKernels table{softmax_gradient, norm,     cross_entropy, cross_entropy_gradient, drop,
                                         accumulate,       transpose};
  return table;
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
