// Matrix products of few tiles (ProductCall in module.h; compute capability 9.0). With one block per tile, such a product would
// leave most multiprocessors idle and wait for memory at every step. Here the blocks of a cluster divide the inner index among
// them: each copies its whole part of a and b at once and computes its share of a tile's sums; then the cluster adds up the
// shares through shared memory, always in the order of the ranks, so results are reproducible.
//
//   a [rows, inner] (its last rows from a second array if `split` says so), b [inner, columns] or transposed, c [rows, columns]
//
// Several matrices b are treated as one wide one: a tile of columns may begin in one and end in the next. In tf32 and bf16 the
// numbers are rounded as they are read from shared memory and multiplied on the tensor cores; sums are float32. With many tiles
// (a batch) the inner index is not divided.
#include <cfloat>

#include "engine/backends/cuda/runtime/cluster.h"
#include "engine/backends/cuda/runtime/cuda_kernels.h"
#include "engine/backends/cuda/runtime/tensor_core.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256;
constexpr int kInner = 64;                       // numbers of the inner index that a block takes at a time
constexpr int kPitchA = kInner + 8, kSlack = 8;  // floats; rows begin in different banks, at multiples of 16 bytes

// The parts of a tile in shared memory, in floats: a [Tile][kPitchA], then b [kInner][Tile + kSlack] or, transposed, as a.
template <int Tile>
struct Layout {
  static constexpr int kB = Tile * kPitchA;  // where b begins
  static constexpr int kPitchB = Tile + kSlack;
  static constexpr int kStage = kB + (kInner * kPitchB > Tile * kPitchA ? kInner * kPitchB : Tile * kPitchA);
  static constexpr int kPitchSums = Tile + 16;  // two rows of 16 lanes fall into different banks
  static_assert(Tile * kPitchSums <= kStage, "the sums take the place of what was multiplied");
};

struct Tiling {
  int ranks;         // blocks of a cluster
  int rounds;        // how often every rank takes kInner of the inner index
  int column_tiles;  // tiles of columns of all matrices together
  std::int64_t row_tiles, items;
};

#if HL_CLUSTERS

// The arrays of one item of the batch; b and c are addressed by matrix.
struct Item {
  const float *a, *a2;
  std::int64_t b_offset, c_offset;
};
HL_HD Item item_of(const ProductCall& p, std::int64_t z) {
  if (z == 0) return {p.a, p.a2, 0, 0};  // saves a 64-bit division, which takes a tenth of a microsecond
  const std::int64_t inner = z % p.batch[1], outer = z / p.batch[1], a = outer * p.a_step[0] + inner * p.a_step[1];
  return {p.a + a, p.a2 ? p.a2 + a : nullptr, outer * p.b_step[0] + inner * p.b_step[1],
          outer * p.c_step[0] + inner * p.c_step[1]};
}
HL_HD const float* row_of_a(const ProductCall& p, const Item& at, std::int64_t row) {
  return at.a2 && row >= p.split ? at.a2 + (row - p.split) * p.a_row : at.a + row * p.a_row;
}
// The matrix that a column belongs to, columns counted over all matrices.
HL_HD int matrix_of(const ProductCall& p, int column) {
  const int each = static_cast<int>(p.columns);
  return column < each ? 0 : (column < 2 * each ? 1 : 2);
}
HL_HD const float* b_of(const ProductCall& p, int matrix) { return matrix == 0 ? p.b[0] : (matrix == 1 ? p.b[1] : p.b[2]); }
HL_HD float* c_of(const ProductCall& p, int matrix) { return matrix == 0 ? p.c[0] : (matrix == 1 ? p.c[1] : p.c[2]); }

// Replaces those of four neighbouring cells whose sums met a NaN or an infinity: by sums in which zeros of `a` take no part. The
// loop is kept short: code that nearly never runs would push other code out of the instruction cache.
__device__ __forceinline__ void mend(const ProductCall& p, const Item& at, std::int64_t row, const float* b, std::int64_t column,
                                     float (&total)[4]) {
  const float* const a = row_of_a(p, at, row);
  const std::int64_t along = p.transposed ? 1 : p.b_row, across = p.transposed ? p.b_row : 1;
  const float* of_column = b + column * across;
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll 1
  for (std::int64_t k = 0; k < p.inner; ++k, of_column += along) {
    if (a[k] == 0.0f) continue;
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] += a[k] * of_column[i * across];
  }
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (!(fabsf(total[i]) <= FLT_MAX)) total[i] = sum[i];
}

// Starts the copies of a rank's part of a and b. Sizes fit 32 bits (does() below checks it), which saves registers.
template <int Tile>
__device__ __forceinline__ void fetch(const ProductCall& p, const Item& at, int row0, int column0, int k0, float* stage) {
  const int thread = static_cast<int>(threadIdx.x), inner = static_cast<int>(p.inner), each = static_cast<int>(p.columns);
  const int a_row = static_cast<int>(p.a_row), b_row = static_cast<int>(p.b_row);
  constexpr int kCopies = Tile * kInner / 4 / kThreads;
  float* const b_part = stage + Layout<Tile>::kB;
#pragma unroll
  for (int n = 0; n < kCopies; ++n) {
    const int cell = n * kThreads + thread, line = cell / (kInner / 4), along = cell % (kInner / 4) * 4;
    int row = row0 + line;
    const bool there = row < static_cast<int>(p.rows) && k0 + along < inner;
    const float* from = at.a;
    if (at.a2 && row >= static_cast<int>(p.split)) {
      from = at.a2;
      row -= static_cast<int>(p.split);
    }
    copy_4_floats(stage + line * kPitchA + along, there ? from + std::int64_t{row} * a_row + k0 + along : from, there);
  }
#pragma unroll
  for (int n = 0; n < kCopies; ++n) {
    const int cell = n * kThreads + thread, wide = p.transposed ? kInner / 4 : Tile / 4;
    const int line = cell / wide, along = cell % wide * 4;
    int column = column0 + (p.transposed ? line : along);
    const int k = k0 + (p.transposed ? along : line);
    const bool there = column < each * p.matrices && k < inner;
    const int matrix = matrix_of(p, column);
    column -= matrix * each;
    const float* const from = b_of(p, there ? matrix : 0) + at.b_offset;
    const std::int64_t offset = p.transposed ? std::int64_t{column} * b_row + k : std::int64_t{k} * b_row + column;
    copy_4_floats(b_part + line * (p.transposed ? kPitchA : Layout<Tile>::kPitchB) + along, there ? from + offset : from, there);
  }
  end_group_of_copies();
}

// float32: thread (ty, tx) of 16 x 16 computes cells (ty + 16 i, tx + 16 j).
template <int Tile>
struct Plain {
  static constexpr int kCells = Tile / 16;
  float sums[kCells][kCells];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kCells; ++i) {
#pragma unroll
      for (int j = 0; j < kCells; ++j) sums[i][j] = 0.0f;
    }
  }
  __device__ __forceinline__ void add(const float* stage, bool transposed) {
    const int ty = static_cast<int>(threadIdx.x) / 16, tx = static_cast<int>(threadIdx.x) % 16;
    const float* const a_part = stage + ty * kPitchA;
    const float* const b_part = stage + Layout<Tile>::kB + (transposed ? tx * kPitchA : tx);
#pragma unroll 2
    for (int k = 0; k < kInner; k += 4) {
      float a[kCells][4];
#pragma unroll
      for (int i = 0; i < kCells; ++i) {
        const float4 x = *reinterpret_cast<const float4*>(a_part + 16 * i * kPitchA + k);
        a[i][0] = x.x, a[i][1] = x.y, a[i][2] = x.z, a[i][3] = x.w;
      }
      if (transposed) {
#pragma unroll
        for (int j = 0; j < kCells; ++j) {
          const float4 b = *reinterpret_cast<const float4*>(b_part + 16 * j * kPitchA + k);
#pragma unroll
          for (int i = 0; i < kCells; ++i) {
            sums[i][j] += a[i][0] * b.x;
            sums[i][j] += a[i][1] * b.y;
            sums[i][j] += a[i][2] * b.z;
            sums[i][j] += a[i][3] * b.w;
          }
        }
      } else {
#pragma unroll
        for (int along = 0; along < 4; ++along) {
#pragma unroll
          for (int j = 0; j < kCells; ++j) {
            const float b = b_part[(k + along) * Layout<Tile>::kPitchB + 16 * j];
#pragma unroll
            for (int i = 0; i < kCells; ++i) sums[i][j] += a[i][along] * b;
          }
        }
      }
    }
  }
  __device__ __forceinline__ void store(float* to) const {
    const int ty = static_cast<int>(threadIdx.x) / 16, tx = static_cast<int>(threadIdx.x) % 16;
#pragma unroll
    for (int i = 0; i < kCells; ++i) {
#pragma unroll
      for (int j = 0; j < kCells; ++j) to[(ty + 16 * i) * Layout<Tile>::kPitchSums + tx + 16 * j] = sums[i][j];
    }
  }
};

// tf32, bf16: 2 x 4 warps; each computes Tile / 2 rows and Tile / 4 columns in tiles of 16 x 8 (fragments: tensor_core.h).
template <int Tile, Precision kPrecision>
struct OnTensorCores {
  static constexpr int kRows = Tile / 32, kColumns = Tile / 32, kStep = kPrecision == kBrainFloat16 ? 16 : 8;
  float sums[kRows][kColumns][4];

  __device__ __forceinline__ void clear() {
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
#pragma unroll
        for (int c = 0; c < 4; ++c) sums[i][j][c] = 0.0f;
      }
    }
  }
  // Two neighbours along the inner index (bf16), or one number (tf32).
  static __device__ __forceinline__ std::uint32_t of_row(const float* at) {
    if constexpr (kPrecision == kBrainFloat16) {
      const float2 x = *reinterpret_cast<const float2*>(at);
      return bf16_pair(x.x, x.y);
    } else {
      return tf32(*at);
    }
  }
  static __device__ __forceinline__ std::uint32_t of_column(const float* at, int pitch) {
    if constexpr (kPrecision == kBrainFloat16) {
      return bf16_pair(at[0], at[pitch]);
    } else {
      return tf32(*at);
    }
  }
  __device__ __forceinline__ void add(const float* stage, bool transposed) {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
    constexpr int kLane = kPrecision == kBrainFloat16 ? 2 : 1, kHalf = kStep / 2, kPitchB = Layout<Tile>::kPitchB;
    const float* const a_part = stage + (warp / 4 * (Tile / 2) + g) * kPitchA + kLane * t;
    const int column = warp % 4 * (Tile / 4) + g;
    const float* const b_part =
        stage + Layout<Tile>::kB + (transposed ? column * kPitchA + kLane * t : kLane * t * kPitchB + column);
#pragma unroll 2
    for (int k = 0; k < kInner; k += kStep) {
      std::uint32_t a[kRows][4], b[kColumns][2];
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
        const float* const at = a_part + 16 * i * kPitchA + k;
        a[i][0] = of_row(at);
        a[i][1] = of_row(at + 8 * kPitchA);
        a[i][2] = of_row(at + kHalf);
        a[i][3] = of_row(at + 8 * kPitchA + kHalf);
      }
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        if (transposed) {
          const float* const at = b_part + 8 * j * kPitchA + k;
          b[j][0] = of_row(at);
          b[j][1] = of_row(at + kHalf);
        } else {
          const float* const at = b_part + k * kPitchB + 8 * j;
          b[j][0] = of_column(at, kPitchB);
          b[j][1] = of_column(at + kHalf * kPitchB, kPitchB);
        }
      }
#pragma unroll
      for (int i = 0; i < kRows; ++i) {
#pragma unroll
        for (int j = 0; j < kColumns; ++j) {
          if constexpr (kPrecision == kBrainFloat16) {
            mma_bf16(sums[i][j], a[i], b[j]);
          } else {
            mma_tf32(sums[i][j], a[i], b[j]);
          }
        }
      }
    }
  }
  __device__ __forceinline__ void store(float* to) const {
    const int lane = static_cast<int>(threadIdx.x) % 32, warp = static_cast<int>(threadIdx.x) / 32, g = lane / 4, t = lane % 4;
#pragma unroll
    for (int i = 0; i < kRows; ++i) {
#pragma unroll
      for (int j = 0; j < kColumns; ++j) {
        float* const at =
            to + (warp / 4 * (Tile / 2) + 16 * i + g) * Layout<Tile>::kPitchSums + warp % 4 * (Tile / 4) + 8 * j + 2 * t;
        *reinterpret_cast<float2*>(at) = make_float2(sums[i][j][0], sums[i][j][1]);
        *reinterpret_cast<float2*>(at + 8 * Layout<Tile>::kPitchSums) = make_float2(sums[i][j][2], sums[i][j][3]);
      }
    }
  }
};

template <int Tile, Precision kPrecision>
struct SumsOf {
  using Type = OnTensorCores<Tile, kPrecision>;
};
template <int Tile>
struct SumsOf<Tile, kFloat32> {
  using Type = Plain<Tile>;
};

// Adds up the ranks' shares of four neighbouring cells of c and writes them.
template <int Tile>
__device__ __forceinline__ void finish(const ProductCall& p, const Item& at, int ranks, int row, int column, float* share) {
  float4 parts[kMostRanks];
#pragma unroll
  for (int rank = 0; rank < kMostRanks; ++rank)
    if (rank < ranks) parts[rank] = *reinterpret_cast<const float4*>(of_rank(share, rank));
  float sum[4] = {0.0f, 0.0f, 0.0f, 0.0f};
#pragma unroll
  for (int rank = 0; rank < kMostRanks; ++rank) {
    if (rank >= ranks) break;
    sum[0] += parts[rank].x, sum[1] += parts[rank].y, sum[2] += parts[rank].z, sum[3] += parts[rank].w;
  }
  if (row >= static_cast<int>(p.rows) || column >= static_cast<int>(p.columns) * p.matrices) return;
  const int matrix = matrix_of(p, column);
  column -= matrix * static_cast<int>(p.columns);
  if (p.skip_zeros && !(fabsf(sum[0]) + fabsf(sum[1]) + fabsf(sum[2]) + fabsf(sum[3]) <= FLT_MAX))
    mend(p, at, row, b_of(p, matrix) + at.b_offset, column, sum);
  if (p.bias) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] += p.bias[column + i];
  }
  if (p.activation != 0) {
#pragma unroll
    for (int i = 0; i < 4; ++i) sum[i] = activate(p.activation, sum[i]);
  }
  *reinterpret_cast<float4*>(c_of(p, matrix) + at.c_offset + std::int64_t{row} * p.c_row + column) =
      make_float4(sum[0], sum[1], sum[2], sum[3]);
}

#endif

template <int Tile, Precision kPrecision>
__global__ void __launch_bounds__(kThreads, Tile == 96 ? 1 : 2) product_split(ProductCall p, Tiling tiling) {
#if HL_CLUSTERS
  HL_DYNAMIC_SHARED(float, memory);
  const int rank = tiling.ranks > 1 ? rank_in_cluster() : 0, thread = static_cast<int>(threadIdx.x);
  const int tile = static_cast<int>(blockIdx.x / static_cast<unsigned>(tiling.ranks));
  const int row0 = tile / tiling.column_tiles * Tile;
  const int column0 = tile % tiling.column_tiles * Tile;
  wait_for_last_launch();
  if (tiling.ranks > 1) let_next_launch_start();  // this launch has few blocks, so blocks of the next one can start beside them

  for (std::int64_t z = blockIdx.y; z < tiling.items; z += gridDim.y) {
    const Item at = item_of(p, z);
    typename SumsOf<Tile, kPrecision>::Type sums;
    sums.clear();
#pragma unroll 1
    for (int round = 0; round <= tiling.rounds; ++round) {  // the next round's parts are copied while this round's are multiplied
      if (round < tiling.rounds) {
        fetch<Tile>(p, at, row0, column0, (round * tiling.ranks + rank) * kInner, memory + round % 2 * Layout<Tile>::kStage);
        wait_for_groups_of_copies<1>();
      } else {
        wait_for_groups_of_copies<0>();
      }
      __syncthreads();
      if (round > 0) sums.add(memory + (round - 1) % 2 * Layout<Tile>::kStage, p.transposed);
      __syncthreads();
    }
    sums.store(memory);
    if (tiling.ranks > 1) {
      sync_cluster();
    } else {
      __syncthreads();
    }
    for (int cells = rank * kThreads + thread; cells < Tile * Tile / 4; cells += tiling.ranks * kThreads) {
      const int row = cells / (Tile / 4), column = cells % (Tile / 4) * 4;
      finish<Tile>(p, at, tiling.ranks, row0 + row, column0 + column, memory + row * Layout<Tile>::kPitchSums + column);
    }
    if (tiling.ranks > 1) {  // no block may end or go on while another still reads its share
      arrive_having_read();
      wait_for_cluster();
    } else {
      __syncthreads();
    }
  }
#endif
}

Tiling tiling_of(const ProductCall& p, const Place& place, int tile) {
  Tiling t{1, 1, static_cast<int>(tiles_of(p.columns * p.matrices, tile)), tiles_of(p.rows, tile), p.batch[0] * p.batch[1]};
  const std::int64_t tiles = t.row_tiles * t.column_tiles * t.items, parts = tiles_of(p.inner, kInner);
  while (t.ranks < kMostRanks && 2 * t.ranks <= parts && 2 * t.ranks * tiles <= place.blocks_at_once(2 * t.ranks)) t.ranks *= 2;
  t.rounds = static_cast<int>(tiles_of(parts, t.ranks));
  return t;
}

// Estimated cycles: the multiplications and copies of a multiprocessor, rounds of blocks, and a fixed waiting time.
double cost_of(const ProductCall& p, const Place& place, int tile, const Tiling& t) {
  const double cells = static_cast<double>(tile) * tile, width = static_cast<double>(tile);
  const double products = cells * kInner / (p.precision == kFloat32 ? (tile >= 64 ? 90.0 : 40.0) : 600.0);
  const double copies = 2 * width * kInner * sizeof(float) / 40;
  const std::int64_t blocks = t.row_tiles * t.column_tiles * t.items * t.ranks;
  const double once = 800 + (t.ranks > 1 ? 500 + cells / 64 : 0);
  return static_cast<double>(tiles_of(blocks, place.blocks_at_once(t.ranks))) * (t.rounds * (products + copies) + once);
}

template <int Tile, Precision kPrecision>
cudaError_t launch_with(const ProductCall& p, const Place& place, const Tiling& tiling) {
  Shape shape{};
  shape.grid = dim3(static_cast<unsigned>(tiling.row_tiles * tiling.column_tiles * tiling.ranks),
                    static_cast<unsigned>(smaller(tiling.items, 65535)));
  shape.block = dim3(kThreads);
  shape.shared = static_cast<std::size_t>((tiling.rounds > 1 ? 2 : 1) * Layout<Tile>::kStage) * sizeof(float);
  shape.cluster = tiling.ranks;
  shape.overlaps = place.overlaps;
  return launch(product_split<Tile, kPrecision>, shape, place.stream, p, tiling);
}
template <int Tile>
cudaError_t launch_in(const ProductCall& p, const Place& place, const Tiling& tiling) {
  switch (p.precision) {
    case kTensorFloat32: return launch_with<Tile, kTensorFloat32>(p, place, tiling);
    case kBrainFloat16: return launch_with<Tile, kBrainFloat16>(p, place, tiling);
    default: return launch_with<Tile, kFloat32>(p, place, tiling);
  }
}

bool by_fours(const void* at, std::int64_t step, std::int64_t first, std::int64_t second) {
  return reinterpret_cast<std::uintptr_t>(at) % 16 == 0 && step % 4 == 0 && first % 4 == 0 && second % 4 == 0;
}

// HEADLIGHT_CUDA_PRODUCTS: "plain" for the plain kernel alone, "library" for cuBLASLt wherever it can, "own" without it
// (vendor_products.cu).
bool asked_for(const char* way) { return cuda::asked_for("HEADLIGHT_CUDA_PRODUCTS", way); }

struct Choice {
  int tile;
  Tiling tiling;
};
// tile 0: this kernel cannot do the call.
Choice choose(const ProductCall& p, const Place& place) {
  bool does = place.clusters && p.inner % 4 == 0 && p.columns % 4 == 0 && p.rows > 0 && p.inner > 0 && p.columns > 0 &&
              p.rows < (1 << 30) && p.columns < (1 << 28) && p.inner < (1 << 30) && p.a_row < (1 << 30) && p.b_row < (1 << 30) &&
              by_fours(p.a, p.a_row, p.a_step[0], p.a_step[1]) && (!p.a2 || by_fours(p.a2, 0, 0, 0));
  for (int i = 0; i < p.matrices; ++i)
    does = does && by_fours(p.b[i], p.b_row, p.b_step[0], p.b_step[1]) && by_fours(p.c[i], p.c_row, p.c_step[0], p.c_step[1]);
  Choice best{0, {}};
  if (!does || asked_for("plain")) return best;
  double least = 0;
  for (const int tile : {96, 64, 32}) {
    const Tiling tiling = tiling_of(p, place, tile);
    if (tiling.row_tiles * tiling.column_tiles * tiling.ranks >= (std::int64_t{1} << 31)) continue;
    const double cost = cost_of(p, place, tile, tiling);
    if (best.tile == 0 || cost < least) {
      best = {tile, tiling};
      least = cost;
    }
  }
  return best;
}

}  // namespace

bool product_is_of_few_tiles(const ProductCall& p, const Place& place) {
  // Above this many multiplications arithmetic takes most of the time, and larger tiles do it faster.
  constexpr double kFew = double{1 << 27};
  if (asked_for("library")) return false;
  if (static_cast<double>(p.rows) * static_cast<double>(p.inner) * static_cast<double>(p.columns * p.matrices) *
          static_cast<double>(p.batch[0] * p.batch[1]) >
      kFew)
    return false;
  const Choice choice = choose(p, place);
  return choice.tile > 0 && choice.tiling.row_tiles * choice.tiling.column_tiles * choice.tiling.items * choice.tiling.ranks <=
                                place.multiprocessors;
}

cudaError_t launch_product_split(const ProductCall& p, const Place& place, bool* fits) {
  const Choice choice = choose(p, place);
  // With many tiles in float32 the plain kernel's tiles are as large, and dividing the inner index gains nothing.
  *fits = choice.tile > 0 && (p.precision != kFloat32 || choice.tile == 32 || product_is_of_few_tiles(p, place));
  if (!*fits) return cudaSuccess;
  switch (choice.tile) {
    case 96: return launch_in<96>(p, place, choice.tiling);
    case 64: return launch_in<64>(p, place, choice.tiling);
    default: return launch_in<32>(p, place, choice.tiling);
  }
}

}  // namespace headlight::backends::cuda
