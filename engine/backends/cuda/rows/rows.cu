// Operations that move or add rows.
//   gather: y[r, :] = table[ids[r], :], and + other[r mod period, :] where given (X = F[ids] + P)       y [rows, d]
//           table[ids[r] places + r mod places, :] from a table of every symbol at every position
//   add:    y = x + other, other [rows, d] or one row [d] for all
// Four numbers at a time where width and addresses allow it, else one.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256;

__device__ std::int64_t first_index() { return static_cast<std::int64_t>(blockIdx.x) * blockDim.x + threadIdx.x; }
__device__ std::int64_t stride() { return static_cast<std::int64_t>(gridDim.x) * blockDim.x; }

__device__ float plus(float a, float b) { return a + b; }
__device__ float4 plus(float4 a, float4 b) { return make_float4(a.x + b.x, a.y + b.y, a.z + b.z, a.w + b.w); }

// `d` counts values of type V.
template <class V>
__global__ void gather(RowsCall c, std::int64_t d) {
  const V* x = reinterpret_cast<const V*>(c.x);
  const V* other = reinterpret_cast<const V*>(c.other);
  V* y = reinterpret_cast<V*>(c.y);
  for (std::int64_t i = first_index(); i < c.rows * d; i += stride()) {
    const std::int64_t row = i / d, column = i % d;
    const std::int64_t id = c.ids[row], from = c.places > 0 ? id * c.places + row % c.places : id;
    const V value = x[from * d + column];
    const std::int64_t place = !other ? 0 : (c.other_ids ? c.other_ids[row] : row % c.period);
    y[i] = other ? plus(value, other[place * d + column]) : value;
  }
}

template <class V>
__global__ void add(RowsCall c, std::int64_t d) {
  const V* x = reinterpret_cast<const V*>(c.x);
  const V* other = reinterpret_cast<const V*>(c.other);
  V* y = reinterpret_cast<V*>(c.y);
  for (std::int64_t i = first_index(); i < c.rows * d; i += stride()) y[i] = plus(x[i], other[c.repeats ? i % d : i]);
}

bool by_fours(const RowsCall& c) {
  const auto address = [](const void* p) { return reinterpret_cast<std::uintptr_t>(p); };
  return c.d % 4 == 0 && (address(c.x) | address(c.other) | address(c.y)) % 16 == 0;
}

}  // namespace

cudaError_t launch_gather(const RowsCall& c, const Place& place) {
  const std::int64_t d = by_fours(c) ? c.d / 4 : c.d;
  const dim3 grid(blocks_for(c.rows * d, kThreads));
  return by_fours(c) ? launch(gather<float4>, grid, dim3(kThreads), 0, place.stream, c, d)
                     : launch(gather<float>, grid, dim3(kThreads), 0, place.stream, c, d);
}
cudaError_t launch_add(const RowsCall& c, const Place& place) {
  const std::int64_t d = by_fours(c) ? c.d / 4 : c.d;
  const dim3 grid(blocks_for(c.rows * d, kThreads));
  return by_fours(c) ? launch(add<float4>, grid, dim3(kThreads), 0, place.stream, c, d)
                     : launch(add<float>, grid, dim3(kThreads), 0, place.stream, c, d);
}

}  // namespace headlight::backends::cuda
