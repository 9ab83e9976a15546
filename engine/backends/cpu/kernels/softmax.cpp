// The operations on one row of scores: scale, mask, softmax.
#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

const float kMinusInfinity = -__builtin_inff();

// The largest score is -inf: nothing may be attended to, so the row is all zeros. But NaN compares as not larger, so a row with a
// NaN also gets here; it becomes NaN.
void without_largest(const float* x, std::int64_t count, float* y) {
  bool any_nan = false;
  for (std::int64_t j = 0; j < count; ++j) any_nan = any_nan || x[j] != x[j];
  for (std::int64_t j = 0; j < count; ++j) y[j] = any_nan ? __builtin_nanf("") : 0.0f;
}

// A row that fits into N registers, the last one with what is left: as softmax below, but it is read and written once.
template <int N>
inline void softmax_of(const float* x, std::int64_t count, float inverse_temperature, float* y) {
  const std::int64_t rest = count - (N - 1) * kLanes;
  V v[N];
#pragma GCC unroll 2
  for (int i = 0; i + 1 < N; ++i) v[i] = load(x + i * kLanes);
  v[N - 1] = load_part(x + (N - 1) * kLanes, rest, kMinusInfinity);
  V largest = splat(kMinusInfinity);
#pragma GCC unroll 2
  for (int i = 0; i < N; ++i) largest = v[i] > largest ? v[i] : largest;
  const float most = max_of(largest);
  if (most == kMinusInfinity) return without_largest(x, count, y);
  V sums = splat(0);
#pragma GCC unroll 2
  for (int i = 0; i < N; ++i) {
    v[i] = exp_of((v[i] - splat(most)) * splat(inverse_temperature));
    sums += v[i];
  }
  const V factor = splat(1.0f / sum_of(sums));
#pragma GCC unroll 2
  for (int i = 0; i + 1 < N; ++i) store(y + i * kLanes, v[i] * factor);
  store_part(y + (N - 1) * kLanes, rest, v[N - 1] * factor);
}

}  // namespace

// Rows are often shorter than a few registers, so what is left at their ends is computed in one register, too.
void scale(const float* x, std::int64_t count, float factor, float* y) {
  for_registers(count, [&](std::int64_t j, std::int64_t n) { store_some(y + j, n, load_some(x + j, n) * factor); });
}

void mask_keep(const float* x, std::int64_t count, float factor, const std::uint8_t* keep, std::int64_t step, float fill,
               float* y) {
  if (step == 0) {
    if (*keep) return scale(x, count, factor, y);
    for (std::int64_t j = 0; j < count; ++j) y[j] = fill;
    return;
  }
  const V other = splat(fill);
  for_registers(count, [&](std::int64_t j, std::int64_t n) {
    store_some(y + j, n, choose(keep + j, n, load_some(x + j, n) * factor, other));
  });
}

void mask_add(const float* x, std::int64_t count, float factor, const float* bias, std::int64_t step, float* y) {
  for_registers(count, [&](std::int64_t j, std::int64_t n) {
    store_some(y + j, n, load_some(x + j, n) * factor + (step == 0 ? splat(*bias) : load_some(bias + j, n)));
  });
}

void softmax(const float* x, std::int64_t count, float inverse_temperature, float* y) {
  if (count <= 2 * kLanes)
    return count <= kLanes ? softmax_of<1>(x, count, inverse_temperature, y) : softmax_of<2>(x, count, inverse_temperature, y);
  const std::int64_t whole = count / kLanes * kLanes;
  const std::int64_t rest = count - whole;
  V largest = splat(kMinusInfinity);
  for (std::int64_t j = 0; j < whole; j += kLanes) {
    const V v = load(x + j);
    largest = v > largest ? v : largest;
  }
  if (rest) {
    const V v = load_part(x + whole, rest, kMinusInfinity);
    largest = v > largest ? v : largest;
  }
  const float most = max_of(largest);
  if (most == kMinusInfinity) return without_largest(x, count, y);

  const V shift = splat(most);
  const V factor = splat(inverse_temperature);
  V sums = splat(0);
  for (std::int64_t j = 0; j < whole; j += kLanes) {
    const V e = exp_of((load(x + j) - shift) * factor);
    sums += e;
    store(y + j, e);
  }
  if (rest) {
    const V e = exp_of((load_part(x + whole, rest, kMinusInfinity) - shift) * factor);
    sums += e;
    store_part(y + whole, rest, e);
  }
  // A NaN anywhere makes the sum NaN, and with it the whole row, as the formula says.
  scale(y, count, 1.0f / sum_of(sums), y);
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
