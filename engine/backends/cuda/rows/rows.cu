// Operations that copy or add rows (GatherCall and AddCall in module.h).
//   gather: output[r, :] = table[ids[r], :], plus addend[r mod period, :] where given (X = F[ids] + P)       output [rows, d]
//           table[ids[r] places + r mod places, :] from a table of every symbol at every position
//   add:    output = input + addend, addend [rows, d] or one row [d] for all
// Threads copy four numbers at a time where width and addresses allow it, else one.
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
__global__ void gather(GatherCall c, std::int64_t d) {
  const V* table = reinterpret_cast<const V*>(c.table);
  const V* addend = reinterpret_cast<const V*>(c.addend);
  V* output = reinterpret_cast<V*>(c.output);
  for (std::int64_t i = first_index(); i < c.rows * d; i += stride()) {
    const std::int64_t row = i / d, column = i % d;
    const std::int64_t id = c.ids[row], from = c.places > 0 ? id * c.places + row % c.places : id;
    const V value = table[from * d + column];
    const std::int64_t place = !addend ? 0 : (c.addend_ids ? c.addend_ids[row] : row % c.period);
    output[i] = addend ? plus(value, addend[place * d + column]) : value;
  }
}

template <class V>
__global__ void add(AddCall c, std::int64_t d) {
  const V* input = reinterpret_cast<const V*>(c.input);
  const V* addend = reinterpret_cast<const V*>(c.addend);
  V* output = reinterpret_cast<V*>(c.output);
  for (std::int64_t i = first_index(); i < c.rows * d; i += stride()) output[i] = plus(input[i], addend[c.repeats ? i % d : i]);
}

// Whether rows of d floats can be read and written as float4: every pointer, null or not, is a multiple of 16 bytes.
bool by_fours(std::int64_t d, const float* read, const float* added, const float* written) {
  const auto address = [](const float* p) { return reinterpret_cast<std::uintptr_t>(p); };
  return d % 4 == 0 && (address(read) | address(added) | address(written)) % 16 == 0;
}

}  // namespace

cudaError_t launch_gather(const GatherCall& c, const Place& place) {
  const bool fours = by_fours(c.d, c.table, c.addend, c.output);
  const std::int64_t d = fours ? c.d / 4 : c.d;
  const dim3 grid(blocks_for(c.rows * d, kThreads));
  return fours ? launch(gather<float4>, grid, dim3(kThreads), 0, place.stream, c, d)
               : launch(gather<float>, grid, dim3(kThreads), 0, place.stream, c, d);
}
cudaError_t launch_add(const AddCall& c, const Place& place) {
  const bool fours = by_fours(c.d, c.input, c.addend, c.output);
  const std::int64_t d = fours ? c.d / 4 : c.d;
  const dim3 grid(blocks_for(c.rows * d, kThreads));
  return fours ? launch(add<float4>, grid, dim3(kThreads), 0, place.stream, c, d)
               : launch(add<float>, grid, dim3(kThreads), 0, place.stream, c, d);
}

}  // namespace headlight::backends::cuda
