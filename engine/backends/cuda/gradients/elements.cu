// Element-wise operations of a training (ElementsCall in module.h): copies, products, activations, their gradients and dropout,
// each number by itself. input, other, output [count]; neighbouring threads take neighbouring numbers.
#include "engine/backends/cuda/runtime/cuda_kernels.h"

namespace headlight::backends::cuda {
namespace {

constexpr int kThreads = 256;

template <Element element>
__device__ float value_of(const ElementsCall& c, std::uint32_t key, std::int64_t i) {
  switch (element) {
    case Element::copy: return c.input[i];
    case Element::repeat: return c.input[i % c.period];
    case Element::multiply: return c.input[i] * c.other[i];
    case Element::activate: return activate_any(c.activation, c.input[i]);
    case Element::activation_gradient: return c.other[i] * activation_slope(c.activation, c.input[i]);
    case Element::dropout: return is_kept(key, c.draws.threshold, i) ? c.input[i] * c.draws.factor : 0.0f;
  }
  return 0.0f;
}

template <Element element>
__global__ void __launch_bounds__(kThreads) elements(ElementsCall c) {
  const std::uint32_t key = element == Element::dropout ? draw_key(c.draws.seed, *c.draws.counter) : 0;
  for (std::int64_t i = static_cast<std::int64_t>(blockIdx.x) * kThreads + threadIdx.x; i < c.count;
       i += static_cast<std::int64_t>(gridDim.x) * kThreads)
    c.output[i] = value_of<element>(c, key, i);
}

}  // namespace

cudaError_t launch_elements(const ElementsCall& c, const Place& place) {
  const auto with = [&](void (*kernel)(ElementsCall)) {
    return launch(kernel, dim3(blocks_for(c.count, kThreads)), dim3(kThreads), 0, place.stream, c);
  };
  switch (c.element) {
    case Element::copy: return with(elements<Element::copy>);
    case Element::repeat: return with(elements<Element::repeat>);
    case Element::multiply: return with(elements<Element::multiply>);
    case Element::activate: return with(elements<Element::activate>);
    case Element::activation_gradient: return with(elements<Element::activation_gradient>);
    case Element::dropout: return with(elements<Element::dropout>);
  }
  return cudaErrorInvalidConfiguration;
}

}  // namespace headlight::backends::cuda
