// One word of index-based attention: look up the scores, softmax, mean over queries. [l, l] is written only if it is an output.
#include "engine/backends/cpu/kernels/kernels_of_level.h"
#include "engine/backends/cpu/kernels/vector.h"

namespace headlight::backends::cpu::HEADLIGHT_KERNELS {
namespace {

// row = softmax(row * scale) over keys that are not padding.
void softmax_row(const std::int32_t* __restrict ids, const WordTables& t, float* __restrict row) {
  if (t.pad >= 0) {
    for (std::int64_t j = 0; j < t.l; ++j) row[j] = ids[j] == t.pad ? -__builtin_inff() : row[j];
  }
  softmax(row, t.l, t.scale, row);
}

// Looks up 16 numbers of a row that has at most 32 * kBlocks numbers and is padded to whole registers. Permutations of registers
// do this several times faster than a gather from memory. Other instruction sets use the plain look-up.
#if defined(__AVX512F__)
template <int kBlocks>
inline V look_up_near(const float* row, __m512i ids) {
  const __m512 low = _mm512_permutex2var_ps(_mm512_loadu_ps(row), ids, _mm512_loadu_ps(row + 16));
  if constexpr (kBlocks == 1) {
    return reinterpret_cast<V>(low);
  } else {
    const __m512 high = _mm512_permutex2var_ps(_mm512_loadu_ps(row + 32), ids, _mm512_loadu_ps(row + 48));
    const __mmask16 upper = _mm512_test_epi32_mask(ids, _mm512_set1_epi32(32));
    return reinterpret_cast<V>(_mm512_mask_blend_ps(upper, low, high));
  }
}
#endif

// The most numbers of a row that fit in registers; 0: this look-up is not used.
#if defined(__AVX512F__)
constexpr std::int64_t kNear = 64;
#else
constexpr std::int64_t kNear = 0;
#endif

// y[j] = row[ids[j]] * right[j], row of n; returns the sum. The row holds 0 for padding already.
template <int kBlocks>
inline float weigh(const float* __restrict row, const std::int32_t* __restrict ids, const float* __restrict right, std::int64_t l,
                   float* __restrict y) {
  V sums = splat(0);
  std::int64_t j = 0;
  for (; j + kLanes <= l; j += kLanes) {
#if defined(__AVX512F__)
    const V left = kBlocks > 0 ? look_up_near<kBlocks>(row, _mm512_loadu_si512(ids + j)) : look_up(row, ids + j);
#else
    const V left = look_up(row, ids + j);
#endif
    const V e = left * load(right + j);
    sums += e;
    store(y + j, e);
  }
  float sum = sum_of(sums);
  for (; j < l; ++j) {
    y[j] = row[ids[j]] * right[j];
    sum += y[j];
  }
  return sum;
}

void finish(std::int64_t queries, std::int64_t l, float* score) {
  if (queries) scale(score, l, 1.0f / static_cast<float>(queries), score);
}

}  // namespace

void pool(const float* qk, const std::int32_t* ids, const WordTables& t, float* scratch, float* weights, float* score) {
  for (std::int64_t j = 0; j < t.l; ++j) score[j] = 0;
  std::int64_t queries = 0;
  for (std::int64_t i = 0; i < t.l; ++i) {
    const bool is_pad = t.pad >= 0 && ids[i] == t.pad;
    if (is_pad && !weights) continue;
    float* const row = weights ? weights + i * t.l : scratch;
    for (std::int64_t j = 0; j < t.l; ++j) row[j] = qk[i * t.l + j];
    softmax_row(ids, t, row);
    if (is_pad) continue;
    ++queries;
    for (std::int64_t j = 0; j < t.l; ++j) score[j] += row[j];
  }
  finish(queries, t.l, score);
}

void pool_indexed(const std::int32_t* __restrict ids, const WordTables& t, float* scratch, float* qk, float* weights,
                  float* score) {
  const std::int64_t width = t.n + t.l;
  float* __restrict both = scratch;         // [n + l]
  float* __restrict row = scratch + width;  // [l]
  for (std::int64_t j = 0; j < t.l; ++j) score[j] = 0;
  std::int64_t queries = 0;
  for (std::int64_t i = 0; i < t.l; ++i) {
    const bool is_pad = t.pad >= 0 && ids[i] == t.pad;
    if (is_pad && !qk && !weights) continue;
    // MM[ids i, :] + PM[i, :] on the left, MP[ids i, :] + PP[i, :] on the right: the terms of one query are added before any key
    // is looked up.
    const float* __restrict symbol = t.table + ids[i] * width;
    const float* __restrict position = t.table + (t.n + i) * width;
    std::int64_t j = 0;
    if (t.n <= 4 * t.l) {
      for (std::int64_t x = 0; x < width; ++x) both[x] = symbol[x] + position[x];
      for (; j + kLanes <= t.l; j += kLanes) store(row + j, look_up(both, ids + j) + load(both + t.n + j));
      for (; j < t.l; ++j) row[j] = both[ids[j]] + both[t.n + j];
    } else {
      for (; j + kLanes <= t.l; j += kLanes) {
        store(row + j,
              (look_up(symbol, ids + j) + look_up(position, ids + j)) + (load(symbol + t.n + j) + load(position + t.n + j)));
      }
      for (; j < t.l; ++j) row[j] = (symbol[ids[j]] + position[ids[j]]) + (symbol[t.n + j] + position[t.n + j]);
    }
    if (qk) {
      for (std::int64_t x = 0; x < t.l; ++x) qk[i * t.l + x] = row[x];
    }
    if (is_pad && !weights) continue;
    softmax_row(ids, t, row);
    if (weights) {
      for (std::int64_t x = 0; x < t.l; ++x) weights[i * t.l + x] = row[x];
    }
    if (is_pad) continue;
    ++queries;
    for (std::int64_t x = 0; x < t.l; ++x) score[x] += row[x];
  }
  finish(queries, t.l, score);
}

void pool_exponentials(const std::int32_t* __restrict ids, const WordTables& t, float* scratch, float* score) {
  const std::int64_t width = t.n + t.l, padded = (width + 2 * kLanes - 1) / kLanes * kLanes;
  float* __restrict both = scratch;          // [n + l]; whole registers may be read at its end
  float* __restrict row = scratch + padded;  // [l]
  for (std::int64_t j = 0; j < t.l; ++j) score[j] = 0;
  const bool small = t.n <= 4 * t.l;
  const int blocks = t.n > kNear ? 0 : t.n <= 32 ? 1 : 2;
  std::int64_t queries = 0;
  for (std::int64_t i = 0; i < t.l; ++i) {
    if (t.pad >= 0 && ids[i] == t.pad) continue;
    const float* __restrict symbol = t.table + ids[i] * width;
    const float* __restrict position = t.table + (t.n + i) * width;
    float sum = 0;
    if (small) {
      std::int64_t x = 0;
      for (; x + kLanes <= width; x += kLanes) store(both + x, load(symbol + x) * load(position + x));
      for (; x < width; ++x) both[x] = symbol[x] * position[x];
      sum = blocks == 1   ? weigh<1>(both, ids, both + t.n, t.l, row)
            : blocks == 2 ? weigh<2>(both, ids, both + t.n, t.l, row)
                          : weigh<0>(both, ids, both + t.n, t.l, row);
    } else {
      V sums = splat(0);
      std::int64_t j = 0;
      for (; j + kLanes <= t.l; j += kLanes) {
        const V e = (look_up(symbol, ids + j) * look_up(position, ids + j)) * (load(symbol + t.n + j) * load(position + t.n + j));
        sums += e;
        store(row + j, e);
      }
      sum = sum_of(sums);
      for (; j < t.l; ++j) {
        row[j] = (symbol[ids[j]] * position[ids[j]]) * (symbol[t.n + j] * position[t.n + j]);
        sum += row[j];
      }
    }
    ++queries;
    const V share = splat(1.0f / sum);
    std::int64_t j = 0;
    for (; j + kLanes <= t.l; j += kLanes) store(score + j, load(score + j) + load(row + j) * share);
    for (; j < t.l; ++j) score[j] += row[j] / sum;
  }
  finish(queries, t.l, score);
}

void exponentials(const float* table, std::int64_t count, float factor, float* y) {
  std::int64_t j = 0;
  for (; j + kLanes <= count; j += kLanes) store(y + j, exp_of(load(table + j) * splat(factor)));
  if (j < count) store_part(y + j, count - j, exp_of(load_part(table + j, count - j, 0) * splat(factor)));
}

float largest_magnitude(const float* x, std::int64_t count) {
  V most = splat(0), zero = splat(0);
  std::int64_t j = 0;
  const auto take = [&](V v) {
    const V a = v < splat(0) ? -v : v;
    most = a > most ? a : most;
    zero += v * splat(0);  // NaN for NaN and infinity
  };
  for (; j + kLanes <= count; j += kLanes) take(load(x + j));
  if (j < count) take(load_part(x + j, count - j, 0));
  const float any = sum_of(zero);
  return any == 0 ? max_of(most) : __builtin_nanf("");
}

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
