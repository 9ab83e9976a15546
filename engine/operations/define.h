// Helpers for the files of operations: checks of sizes, and make_kind(), which makes a Kind from the functions of one descriptor
// type.
#pragma once

#include <initializer_list>
#include <span>
#include <string>
#include <vector>

#include "engine/operations/operation.h"

namespace headlight::operations {

struct Size {
  const char* name;
  std::int64_t value;
};
// Sizes are at least 1 and at most 2^31, so that products of two of them stay far from overflow.
// check_sizes("Gather", {{"rows", 0}}) is an error that names rows.
Status check_sizes(const char* operation, std::initializer_list<Size> sizes);

// epsilon is a finite number >= 0. check_epsilon(1e-5, "LayerNorm") passes.
Status check_epsilon(double epsilon, const char* operation);

// 0 <= rate < 1. check_dropout(1, "Dropout") is an error.
Status check_dropout(double rate, const char* operation);

// Adds integers, switches and enumerators to a key. add_all(key, op.rows, op.columns, op.bias) adds three numbers.
template <class... Numbers>
void add_all(Fingerprint& key, Numbers... numbers) {
  (key.add(static_cast<std::uint64_t>(numbers)), ...);
}

// The numbers of a tensor of the operation's real type.
template <class Real>
const Real* real(const Tensor& tensor) {
  return tensor.data<Real>();
}
template <class Real>
Real* real(Tensor& tensor) {
  return tensor.data<Real>();
}

using In = std::span<const Tensor>;
using Out = std::span<Tensor>;

// Functions is a type with static members, all for descriptors of type Op:
//   Status describe(const Op&, DType real, Signature&);
//   template <class Real> Status compute(const Op&, In, Out, const CancelToken&);
//   void add_to(const Op&, Fingerprint&);
//   double flops(const Op&, bool ready);
//   std::vector<Operation> examples();
// and, where the operation has a gradient,
//   template <class Real> Status gradient(const Op&, const GradientArrays<Real>&, const CancelToken&);
// make_kind<Transpose, Functions>("transpose", "transpose", "y[j, i] = x[i, j]", source): the Kind of the operation Transpose.
template <class Op, class Functions>
Kind make_kind(std::string id, std::string label, std::string formula, std::string source) {
  Kind kind{std::move(id), std::move(label), std::move(formula), std::move(source)};
  kind.describe = [](const void* op, DType real, Signature& s) {
    return Functions::describe(*static_cast<const Op*>(op), real, s);
  };
  kind.compute_f64 = [](const void* op, In in, Out out, const CancelToken& cancel) {
    return Functions::template compute<double>(*static_cast<const Op*>(op), in, out, cancel);
  };
  kind.compute_f32 = [](const void* op, In in, Out out, const CancelToken& cancel) {
    return Functions::template compute<float>(*static_cast<const Op*>(op), in, out, cancel);
  };
  kind.add_to = [](const void* op, Fingerprint& key) { Functions::add_to(*static_cast<const Op*>(op), key); };
  kind.flops = [](const void* op, bool ready) { return Functions::flops(*static_cast<const Op*>(op), ready); };
  kind.examples = Functions::examples;
  if constexpr (requires(const Op& op, const GradientArrays<double>& arrays, const CancelToken& cancel) {
                  Functions::template gradient<double>(op, arrays, cancel);
                }) {
    kind.gradient_f64 = [](const void* op, const GradientArrays<double>& arrays, const CancelToken& cancel) {
      return Functions::template gradient<double>(*static_cast<const Op*>(op), arrays, cancel);
    };
    kind.gradient_f32 = [](const void* op, const GradientArrays<float>& arrays, const CancelToken& cancel) {
      return Functions::template gradient<float>(*static_cast<const Op*>(op), arrays, cancel);
    };
  }
  return kind;
}

}  // namespace headlight::operations
