// Matrix products: c = activation(a b + bias), batched, b plain or transposed (ProductCall in module.h).
//   a [rows, inner] (its last rows from a second array if `split` says so), b [inner, columns], bias [columns], c [rows, columns]
//
// A block computes one tile [BM, BN] of c. It steps along `inner` by BK: tiles of a and b pass through shared memory while the
// next ones are already being loaded into registers; each thread adds up TM x TN cells. session.cu asks cuBLASLt first, where it
// is installed; these kernels do the rest (few rows, several matrices at once, zeros that must not meet NaN).
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

// The arrays of item z of the batch; there are `matrices` x batch[0] x batch[1] items.
struct Item {
  const float *a, *a2, *b;
  float* c;
};
__device__ Item item_of(const ProductCall& p, std::int64_t z) {
  const std::int64_t inner = z % p.batch[1];
  const std::int64_t outer = z / p.batch[1] % p.batch[0];
  const int matrix = static_cast<int>(z / p.batch[1] / p.batch[0]);
  const float* b = matrix == 0 ? p.b[0] : (matrix == 1 ? p.b[1] : p.b[2]);
  float* c = matrix == 0 ? p.c[0] : (matrix == 1 ? p.c[1] : p.c[2]);
  const std::int64_t a = outer * p.a_step[0] + inner * p.a_step[1];
  return {p.a + a, p.a2 ? p.a2 + a : nullptr, b + outer * p.b_step[0] + inner * p.b_step[1],
          c + outer * p.c_step[0] + inner * p.c_step[1]};
}
__device__ float a_value(const ProductCall& p, const Item& at, std::int64_t row, std::int64_t k) {
  if (row >= p.rows || k >= p.inner) return 0.0f;
  return at.a2 && row >= p.split ? at.a2[(row - p.split) * p.a_row + k] : at.a[row * p.a_row + k];
}
__device__ float b_value(const ProductCall& p, const Item& at, std::int64_t k, std::int64_t column) {
  if (k >= p.inner || column >= p.columns) return 0.0f;
  return p.transposed ? at.b[column * p.b_row + k] : at.b[k * p.b_row + column];
}

// A step's tiles of a and b in shared memory, with 4 floats of padding: rows stay 16-byte aligned and lie in different banks.
template <int BM, int BN, int BK>
struct Tiles {
  float a[BK][BM + 4];
  float b[BK][BN + 4];
};

// sums[i][j] += a[ty + i, :] b[:, tx + j] over the BK numbers of a step. skip_zeros: a zero of `a` takes no part.
template <int BM, int BN, int BK, int TM, int TN>
__device__ __forceinline__ void multiply_tiles(const Tiles<BM, BN, BK>& tiles, int ty, int tx, bool skip_zeros,
                                               float (&sums)[TM][TN]) {
#pragma unroll
  for (int k = 0; k < BK; ++k) {
    float a[TM], b[TN];
#pragma unroll
    for (int i = 0; i < TM; ++i) a[i] = tiles.a[k][ty + i];
#pragma unroll
    for (int j = 0; j < TN; ++j) b[j] = tiles.b[k][tx + j];
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
      for (int j = 0; j < TN; ++j) {
        if (skip_zeros) {
          sums[i][j] += a[i] != 0.0f ? a[i] * b[j] : 0.0f;
        } else {
          sums[i][j] += a[i] * b[j];
        }
      }
    }
  }
}

// Writes a thread's cells of c, of which the first is [row0, column0].
template <int TM, int TN>
__device__ __forceinline__ void store_sums(const ProductCall& p, float* c, std::int64_t row0, std::int64_t column0,
                                           const float (&sums)[TM][TN]) {
#pragma unroll
  for (int i = 0; i < TM; ++i) {
    const std::int64_t row = row0 + i;
#pragma unroll
    for (int j = 0; j < TN; ++j) {
      const std::int64_t column = column0 + j;
      if (row < p.rows && column < p.columns)
        c[row * p.c_row + column] = activate(p.activation, sums[i][j] + (p.bias ? p.bias[column] : 0.0f));
    }
  }
}

// BM, BN multiples of TM, TN; BK a power of two; (BM / TM) (BN / TN) threads.
template <int BM, int BN, int BK, int TM, int TN>
__global__ void __launch_bounds__((BM / TM) * (BN / TN), 1)
    product(ProductCall p, std::int64_t column_tiles, std::int64_t tiles) {
  constexpr int kThreads = (BM / TM) * (BN / TN);
  constexpr int kA = BM * BK / kThreads, kB = BN * BK / kThreads;  // values that a thread loads from memory into shared memory
  static_assert(BM * BK % kThreads == 0 && BN * BK % kThreads == 0, "every thread carries alike");
  __shared__ __align__(16) Tiles<BM, BN, BK> loaded;
  const int thread = static_cast<int>(threadIdx.x);
  const int ty = thread / (BN / TN) * TM, tx = thread % (BN / TN) * TN;

  for (std::int64_t tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
    const std::int64_t row0 = tile / column_tiles * BM, column0 = tile % column_tiles * BN;
    for (std::int64_t z = blockIdx.y; z < p.matrices * p.batch[0] * p.batch[1]; z += gridDim.y) {
      const Item at = item_of(p, z);
      float sums[TM][TN];
#pragma unroll
      for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] = 0.0f;
      }
      float next_a[kA], next_b[kB];
      const auto fetch = [&](std::int64_t k0) {  // neighbouring threads read neighbouring numbers
#pragma unroll
        for (int i = 0; i < kA; ++i) {
          const int cell = thread + i * kThreads;
          next_a[i] = a_value(p, at, row0 + cell / BK, k0 + cell % BK);
        }
#pragma unroll
        for (int i = 0; i < kB; ++i) {
          const int cell = thread + i * kThreads;
          next_b[i] = p.transposed ? b_value(p, at, k0 + cell % BK, column0 + cell / BK)
                                   : b_value(p, at, k0 + cell / BN, column0 + cell % BN);
        }
      };
      fetch(0);
      for (std::int64_t k0 = 0; k0 < p.inner; k0 += BK) {
#pragma unroll
        for (int i = 0; i < kA; ++i) {
          const int cell = thread + i * kThreads;
          loaded.a[cell % BK][cell / BK] = next_a[i];
        }
#pragma unroll
        for (int i = 0; i < kB; ++i) {
          const int cell = thread + i * kThreads;
          if (p.transposed) {
            loaded.b[cell % BK][cell / BK] = next_b[i];
          } else {
            loaded.b[cell / BN][cell % BN] = next_b[i];
          }
        }
        __syncthreads();
        if (k0 + BK < p.inner) fetch(k0 + BK);
        multiply_tiles<BM, BN, BK, TM, TN>(loaded, ty, tx, p.skip_zeros, sums);
        __syncthreads();
      }
      store_sums<TM, TN>(p, at.c, row0 + ty, column0 + tx, sums);
    }
  }
}

template <int BM, int BN, int BK, int TM, int TN>
cudaError_t launch_with(const ProductCall& p, const Place& place) {
  const std::int64_t column_tiles = tiles_of(p.columns, BN), tiles = tiles_of(p.rows, BM) * column_tiles;
  const std::int64_t items = p.matrices * p.batch[0] * p.batch[1];
  constexpr std::int64_t kMostX = 1 << 30, kMostY = 65535;
  const dim3 grid(static_cast<unsigned>(smaller(tiles, kMostX)), static_cast<unsigned>(smaller(items, kMostY)));
  return launch(product<BM, BN, BK, TM, TN>, grid, dim3((BM / TM) * (BN / TN)), 0, place.stream, p, column_tiles, tiles);
}

}  // namespace

cudaError_t launch_product(const ProductCall& p, const Place& place) {
  bool fits = false;
  const cudaError_t status = launch_product_split(p, place, &fits);
  if (fits) {
    place.kernel = "product split";
    return status;
  }
  const auto took = [&](const char* kernel, cudaError_t launched) {
    place.kernel = kernel;
    return launched;
  };
  // Chooses the largest tiles that still give every multiprocessor work.
  const std::int64_t items = p.matrices * p.batch[0] * p.batch[1];
  const auto blocks = [&](std::int64_t rows, std::int64_t columns) {
    return tiles_of(p.rows, rows) * tiles_of(p.columns, columns) * items;
  };
  if (!p.skip_zeros && p.rows > 64 && blocks(128, 64) >= place.multiprocessors)
    return took("product 128 x 64", launch_with<128, 64, 16, 8, 4>(p, place));
  if (p.rows > 32 && p.columns > 32 && blocks(64, 64) >= place.multiprocessors)
    return took("product 64 x 64", launch_with<64, 64, 16, 4, 4>(p, place));
  return took("product 32 x 32", launch_with<32, 32, 32, 2, 2>(p, place));
}

}  // namespace headlight::backends::cuda
