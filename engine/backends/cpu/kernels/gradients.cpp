// The gradients of softmax, norms and cross-entropy, dropout, sums and a matrix turned. gradient_kernels.h says what each does.
#include "engine/backends/cpu/gradient_kernels.h"

#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

void softmax_gradient(const float* y, const float* dy, std::int64_t count, float factor, float* dx) {
  const float mean = sum_over(count, [&](std::int64_t i, std::int64_t n) { return load_some(y + i, n) * load_some(dy + i, n); });
  for_registers(count, [&](std::int64_t i, std::int64_t n) {
    store_some(dx + i, n, load_some(y + i, n) * (load_some(dy + i, n) - mean) * factor);
  });
}

void norm_of_row(const float* __restrict x, const float* __restrict gamma, const float* __restrict dy, std::int64_t d,
                 float epsilon, bool centred, float* __restrict dx, float* __restrict dgamma, float* __restrict dbeta) {
  const float width = static_cast<float>(d);
  const float mean = centred ? sum_over(d, [&](std::int64_t i, std::int64_t n) { return load_some(x + i, n); }) / width : 0.0f;
  V squares = splat(0), h = splat(0), hn = splat(0);  // of x - mean; dy gamma; the product of both
  for_registers(d, [&](std::int64_t i, std::int64_t n) {
    // Beyond the row's end the lanes are the mean, which adds nothing.
    const V c = (n == kLanes ? load(x + i) : load_part(x + i, n, mean)) - splat(mean);
    const V by_n = load_some(dy + i, n) * load_some(gamma + i, n);
    squares += c * c;
    h += by_n;
    hn += by_n * c;
  });
  const float inverse = 1.0f / __builtin_sqrtf(sum_of(squares) / width + epsilon);
  const float h_sum = centred ? sum_of(h) : 0, hn_sum = sum_of(hn);
  const float mean_h = h_sum / width, mean_hn = hn_sum / width * inverse;
  for_registers(d, [&](std::int64_t i, std::int64_t n) {
    const V given = load_some(dy + i, n), c = load_some(x + i, n) - splat(mean);
    if (dgamma) store_some(dgamma + i, n, load_some(dgamma + i, n) + given * c * inverse);
    if (dbeta) store_some(dbeta + i, n, load_some(dbeta + i, n) + given);
    if (dx) store_some(dx + i, n, (given * load_some(gamma + i, n) - mean_h - c * (inverse * mean_hn)) * inverse);
  });
}

// Rows of N whole registers, with all gradients: each is read once, and dgamma and dbeta stay in registers.
template <int N>
void norm_of_rows(const float* __restrict x, const float* __restrict gamma, const float* __restrict dy, std::int64_t rows,
                  float epsilon, float* __restrict dx, float* __restrict dgamma, float* __restrict dbeta) {
  constexpr auto kWidth = static_cast<float>(N * kLanes);
  constexpr std::int64_t d = N * kLanes;
  V by_gamma[N] = {}, by_beta[N] = {};
  for (std::int64_t r = 0; r < rows; ++r) {
    V c[N], h[N], sums = splat(0), squares = splat(0), h_sums = splat(0), hn_sums = splat(0);
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) {
      c[i] = load(x + r * d + i * kLanes);
      sums += c[i];
    }
    const V mean = splat(sum_of(sums) / kWidth);
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) {
      const V given = load(dy + r * d + i * kLanes);
      c[i] -= mean;
      h[i] = given * load(gamma + i * kLanes);
      by_beta[i] += given;
      squares += c[i] * c[i];
      h_sums += h[i];
      hn_sums += h[i] * c[i];
    }
    const float inverse = 1.0f / __builtin_sqrtf(sum_of(squares) / kWidth + epsilon);
    const V mean_h = splat(sum_of(h_sums) / kWidth), by_c = splat(sum_of(hn_sums) / kWidth * inverse * inverse);
#pragma GCC unroll 4
    for (int i = 0; i < N; ++i) {
      by_gamma[i] += load(dy + r * d + i * kLanes) * c[i] * inverse;
      store(dx + r * d + i * kLanes, (h[i] - mean_h - c[i] * by_c) * inverse);
    }
  }
  for (int i = 0; i < N; ++i) {
    store(dgamma + i * kLanes, load(dgamma + i * kLanes) + by_gamma[i]);
    store(dbeta + i * kLanes, load(dbeta + i * kLanes) + by_beta[i]);
  }
}

void norm(const float* __restrict x, const float* __restrict gamma, const float* __restrict dy, std::int64_t rows, std::int64_t d,
          float epsilon, bool centred, float* __restrict dx, float* __restrict dgamma, float* __restrict dbeta) {
  if (centred && dx && dgamma && dbeta) {
    if (d == 4 * kLanes) return norm_of_rows<4>(x, gamma, dy, rows, epsilon, dx, dgamma, dbeta);
    if (d == 2 * kLanes) return norm_of_rows<2>(x, gamma, dy, rows, epsilon, dx, dgamma, dbeta);
  }
  for (std::int64_t r = 0; r < rows; ++r)
    norm_of_row(x + r * d, gamma, dy + r * d, d, epsilon, centred, dx ? dx + r * d : nullptr, dgamma, dbeta);
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
    mean = sum_over(classes, [&](std::int64_t i, std::int64_t n) { return load_some(x + i, n); }) / static_cast<float>(classes);
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

void adamw(const AdamWFactors& by, const float* __restrict w, const float* __restrict g, std::int64_t count, float* __restrict m,
           float* __restrict v, float* __restrict y) {
  for_registers(count, [&](std::int64_t i, std::int64_t n) {
    const V d = load_some(g + i, n) * by.gradient;
    const V mean = by.b1 * load_some(m + i, n) + (1 - by.b1) * d;
    const V square = by.b2 * load_some(v + i, n) + (1 - by.b2) * d * d;
    store_some(m + i, n, mean);
    store_some(v + i, n, square);
    store_some(y + i, n, by.kept * load_some(w + i, n) - by.first * mean / (sqrt_of(square * by.second) + by.epsilon));
  });
}

// Sixteen sums side by side, which a processor adds at once.
double sum_of_squares(const float* x, std::int64_t count) {
  constexpr std::int64_t kSums = 16;
  using Doubles = double __attribute__((vector_size(kSums * sizeof(double))));
  using Floats = float __attribute__((vector_size(kSums * sizeof(float))));
  Doubles sums{};
  std::int64_t i = 0;
  for (; i + kSums <= count; i += kSums) {
    Floats some;
    __builtin_memcpy(&some, x + i, sizeof(some));
    const Doubles wide = __builtin_convertvector(some, Doubles);
    sums += wide * wide;
  }
  double sum = 0;
  for (std::int64_t k = 0; k < kSums; ++k) sum += sums[k];
  for (; i < count; ++i) sum += static_cast<double>(x[i]) * static_cast<double>(x[i]);
  return sum;
}

// Four registers of columns at a time: their sums stay in registers.
void sum_rows(const float* x, std::int64_t rows, std::int64_t columns, std::int64_t ldx, float* y) {
  constexpr int kRegisters = 4;
  std::int64_t column = 0;
  for (; column + kRegisters * kLanes <= columns; column += kRegisters * kLanes) {
    V sums[kRegisters] = {};
    for (std::int64_t row = 0; row < rows; ++row)
      for (int i = 0; i < kRegisters; ++i) sums[i] += load(x + row * ldx + column + i * kLanes);
    for (int i = 0; i < kRegisters; ++i) store(y + column + i * kLanes, sums[i]);
  }
  for (; column < columns; column += kLanes) {
    const std::int64_t n = columns - column < kLanes ? columns - column : kLanes;
    V sum = splat(0);
    for (std::int64_t row = 0; row < rows; ++row) sum += load_some(x + row * ldx + column, n);
    store_some(y + column, n, sum);
  }
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
  static constexpr GradientKernels table{
      softmax_gradient, norm,     cross_entropy, cross_entropy_gradient, drop, accumulate, adamw,
      sum_of_squares,   sum_rows, transpose};
  return table;
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
