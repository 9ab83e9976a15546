// One word of index-based attention: scores looked up, softmax, mean over queries. [l, l] is never written unless asked for.
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
    // MM[ids i, :] + PM[i, :] on the left, MP[ids i, :] + PP[i, :] on the right: q's share is summed before k is looked up.
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

}  // namespace headlight::backends::cpu::HEADLIGHT_KERNELS
