// Index-based attention once its tables exist: look up, scale, mask, softmax, pool (S1 to S3; PoolCall in module.h).
//   table [heads, n + l, n + l] or squares [words, heads, l, l], ids [words, l]
//   qk[i, j] = table[ids i, ids j] + table[ids i, n + j] + table[n + i, ids j] + table[n + i, n + j]
//   soft[i, :] = softmax over j of qk[i, :] * scale, keys of padding left out
//   score[j] = mean of soft[i, j] over queries i that are not padding
//   spread[ids j] += score[j]; spread[n + j] = score[j]         so that   result = spread [MetaV; PosV]   is one product
//
// A block keeps its head's table in shared memory, where it fits, and works on one word after another. A warp takes one query row
// at a time and a lane every 32nd key, so a lane reads only what it wrote itself. Sums run in a fixed order, so results are
// reproducible. In bf16 a table in shared memory takes two bytes a number: n + l up to about 330 fit there instead of 235, more
// blocks share a multiprocessor, and fewer lanes that look up different symbols use the same bank.
#include "engine/backends/cuda/runtime/cuda_kernels.h"
#include "engine/backends/cuda/runtime/tensor_core.h"

namespace headlight::backends::cuda {
namespace {

// A table as it is stored in memory, or rounded to bfloat16.
template <bool Rounded>
struct Table {
  const float* at;
  HL_HD float operator[](std::int64_t i) const { return at[i]; }
};
template <>
struct Table<true> {
  const std::uint16_t* at;
  HL_HD float operator[](std::int64_t i) const { return float_of(std::uint32_t{at[i]} << 16); }
};

// The table of head h. If it fits into the block's shared memory (`shared`), it is copied to `own` there, unless the block's last
// word was of the same head; else it is used where it lies.
template <bool Rounded>
__device__ __forceinline__ Table<Rounded> table_of(const PoolCall& c, std::int64_t h, bool is_new_head, bool shared, void* own) {
  const std::int64_t width = c.vocabulary + c.length;
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  const float* const from = c.table + h * width * width;
  Table<Rounded> table{};
  if constexpr (Rounded) {
    auto* const to = static_cast<std::uint16_t*>(own);
    if (is_new_head)
      for (std::int64_t i = thread; i < width * width; i += threads)
        to[i] = static_cast<std::uint16_t>(bf16_bits(bits_of(from[i])));
    table.at = to;
  } else {
    auto* const to = static_cast<float*>(own);
    if (shared && is_new_head)
      for (std::int64_t i = thread; i < width * width; i += threads) to[i] = from[i];
    table.at = shared ? to : from;
  }
  return table;
}

// score [l] = the mean over the queries that are not padding, from the sums of all warps, parts [warps][l]. It is written to
// c.score, too, if that is kept. ids: the word's symbols.
__device__ __forceinline__ void pool_queries(const PoolCall& c, const std::int32_t* ids, const float* parts, float* score,
                                             std::int64_t w, std::int64_t h) {
  const std::int64_t l = c.length;
  const int threads = static_cast<int>(blockDim.x), warps = threads / 32;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32;
  float queries = 0.0f;  // every warp counts for itself
  for (std::int64_t j = lane; j < l; j += 32) queries += ids[j] == c.pad ? 0.0f : 1.0f;
  queries = lanes_sum(queries);
  for (std::int64_t j = thread; j < l; j += threads) {
    float sum = 0.0f;
    for (int warp = 0; warp < warps; ++warp) sum += parts[warp * l + j];
    score[j] = queries > 0.0f ? sum / queries : 0.0f;
    if (c.score) c.score[(w * c.heads + h) * l + j] = score[j];
  }
}

// to [n + l] = the scores added up by symbol, then the scores by position.
__device__ __forceinline__ void spread_scores(const PoolCall& c, const std::int32_t* ids, const float* score, float* to) {
  const std::int64_t l = c.length, n = c.vocabulary;
  const int threads = static_cast<int>(blockDim.x), thread = static_cast<int>(threadIdx.x);
  for (std::int64_t s = thread; s < n; s += threads) to[s] = 0.0f;
  __syncthreads();
  for (std::int64_t j = thread; j < l; j += threads) {
    to[n + j] = score[j];
    // The first of several equal symbols adds up the weights of all of them.
    float sum = 0.0f;
    bool first = true;
    for (std::int64_t other = 0; other < l; ++other) {
      if (ids[other] != ids[j]) continue;
      first = first && other >= j;
      sum += score[other];
    }
    if (first) to[ids[j]] = sum;
  }
}

// Rounded: the table in shared memory is in bfloat16.
template <bool FromTable, bool Rounded>
__global__ void __launch_bounds__(256) isdpa_pool(PoolCall c, bool table_shared) {
  HL_DYNAMIC_SHARED(float, memory);
  const std::int64_t l = c.length, n = c.vocabulary, width = n + l;
  const int threads = static_cast<int>(blockDim.x), warps = threads / 32;
  const int thread = static_cast<int>(threadIdx.x), lane = thread % 32, warp = thread / 32;
  float* const rows = memory;                                            // [warps][l]: one row of scores per warp
  float* const parts = rows + warps * l;                                 // [warps][l]: sums of weights over a warp's queries
  float* const score = parts + warps * l;                                // [l]
  std::int32_t* const ids = reinterpret_cast<std::int32_t*>(score + l);  // [l]
  void* const own_table = ids + l;                                       // [width][width] if table_shared
  float* const row = rows + warp * l;
  float* const part = parts + warp * l;
  const bool pooled = !c.soft;
  const bool weighs = c.soft || c.score || c.spread;
  std::int64_t head_of_table = -1;

  for (std::int64_t item = blockIdx.x; item < c.heads * c.words; item += gridDim.x) {
    const std::int64_t h = item / c.words, w = item % c.words, square = (w * c.heads + h) * l * l;
    Table<Rounded> table{};
    if (FromTable) {
      table = table_of<Rounded>(c, h, head_of_table != h, table_shared, own_table);
      head_of_table = h;
    }
    for (std::int64_t j = thread; j < l; j += threads) ids[j] = c.ids[w * l + j];
    for (std::int64_t j = lane; j < l; j += 32) part[j] = 0.0f;
    __syncthreads();

    for (std::int64_t i = warp; i < l; i += warps) {
      float largest = minus_infinity();
      for (std::int64_t j = lane; j < l; j += 32) {
        float raw;
        if (FromTable) {
          const Terms t = terms_of(table, width, n, ids[i], i, ids[j], j);
          raw = sum_of(t);
          const std::int64_t cell = square + i * l + j;
          if (c.mm) {
            c.mm[cell] = t.mm;
            c.mp[cell] = t.mp;
            c.pm[cell] = t.pm;
            c.pp[cell] = t.pp;
          }
          if (c.qk) c.qk[cell] = raw;
        } else {
          raw = c.squares[square + i * l + j];
        }
        const float x = ids[j] == c.pad ? minus_infinity() : raw * c.scale;
        row[j] = x;
        largest = fmaxf(largest, x);
      }
      // padding queries are not in the mean (all lanes of the warp decide alike)
      if (!weighs || (pooled && ids[i] == c.pad)) continue;
      largest = lanes_largest(largest);
      float total = 0.0f;
      for (std::int64_t j = lane; j < l; j += 32) {
        row[j] = weight_of(row[j], largest, 1.0f);
        total += row[j];
      }
      const float inverse = inverse_of(lanes_sum(total));
      for (std::int64_t j = lane; j < l; j += 32) {
        const float weight = row[j] * inverse;
        if (c.soft) c.soft[square + i * l + j] = weight;
        part[j] += weight;
      }
    }
    __syncthreads();

    if (c.score || c.spread) pool_queries(c, ids, parts, score, w, h);
    if (c.spread) spread_scores(c, ids, score, c.spread + item * width);
    __syncthreads();
  }
}

}  // namespace

cudaError_t launch_pool(const PoolCall& c, const Place& place) {
  const std::int64_t width = c.vocabulary + c.length;
  int warps = 8;
  const auto bytes_with = [&](int count) { return static_cast<std::size_t>((2 * count + 2) * c.length) * sizeof(float); };
  while (warps > 1 && bytes_with(warps) > place.shared) warps /= 2;
  std::size_t bytes = bytes_with(warps);
  if (bytes > place.shared) return cudaErrorInvalidConfiguration;  // words of more than about 3,000 symbols
  const std::size_t number = c.precision == kBrainFloat16 ? sizeof(std::uint16_t) : sizeof(float);
  const bool table_shared =
      c.table && width * width < (1 << 20) && bytes + static_cast<std::size_t>(width * width) * number <= place.shared;
  if (table_shared) bytes += static_cast<std::size_t>(width * width) * number;
  // With the table in shared memory, few blocks take many words each; otherwise every word may have a block of its own.
  const std::int64_t items = c.heads * c.words, most = table_shared ? 2 * place.multiprocessors : (1 << 30);
  const dim3 grid(static_cast<unsigned>(smaller(items, most)));
  const auto kernel = !c.table                                 ? isdpa_pool<false, false>
                      : table_shared && number < sizeof(float) ? isdpa_pool<true, true>
                                                               : isdpa_pool<true, false>;
  return launch(kernel, grid, dim3(32 * warps), bytes, place.stream, c, table_shared);
}

}  // namespace headlight::backends::cuda
