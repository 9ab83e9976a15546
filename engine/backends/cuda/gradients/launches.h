// Launches: the means of an operation that takes several launches: the queue that it submits them to, and memory between them.
#pragma once

#include <initializer_list>
#include <span>
#include <utility>

#include "engine/backends/base/backend.h"
#include "engine/backends/cuda/runtime/calls.h"
#include "engine/backends/cuda/runtime/work_queue.h"

namespace headlight::backends::cuda {

// The data that the plan of an operation keeps between its executions.
struct PlanMemory {
  Buffer turns;  // of Rotary: [length, d_k / 2, 2]
};

// The caller holds the Gpu's turn.
class Launches {
 public:
  Launches(Backend& backend, WorkQueue& queue, Precision precision, PlanMemory& memory)
      : backend_(backend), queue_(queue), precision_(precision), memory_(memory) {}

  Backend& backend() const { return backend_; }
  Precision precision() const { return precision_; }
  PlanMemory& memory() const { return memory_; }

  // An array that one launch writes and a later one reads. It may be released once both are submitted: the queue keeps the arrays
  // of launches that it holds back, and later work on the stream runs after them.
  Result<Buffer> scratch(Shape shape) const { return backend_.allocate(DType::f32, std::move(shape), {}); }

  // Submits a launch. `in` and `out`: the arrays that it reads and writes. submit(Launch::add, call, {x, y}, {sum})
  template <class Call>
  Status submit(Launch launch, const Call& call, std::span<const Buffer> in, std::span<const Buffer> out) const {
    return queue_.submit(launch, call, in, out);
  }
  template <class Call>
  Status submit(Launch launch, const Call& call, std::initializer_list<Buffer> in, std::initializer_list<Buffer> out) const {
    return submit(launch, call, std::span(in.begin(), in.size()), std::span(out.begin(), out.size()));
  }
  // c = a b, in this backend's precision. multiply({1, 32, 64, 16, false}, a, b, c): c [32, 16] of a [32, 64] and b [64, 16].
  Status multiply(const ProductSizes& sizes, const Buffer& a, const Buffer& b, Buffer& c) const {
    return submit(Launch::product, product_call(sizes, real(a), real(b), real(c), precision_), {a, b}, {c});
  }

 private:
  Backend& backend_;
  WorkQueue& queue_;
  Precision precision_;
  PlanMemory& memory_;
};

}  // namespace headlight::backends::cuda
