// An operation: a descriptor of its sizes and switches, what it takes and gives, its counted cost, and its arithmetic as plain
// loops over float or double. In double these loops are the reference, the teaching code and the oracle; in float they are what
// a backend falls back on where it has no faster way. An operation is a pair of files NAME.{h,cpp} and a line in operations.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/fingerprint.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"

namespace headlight::operations {

class Operation;

// The inputs and outputs of an operation, in order, as shapes, types and axes.
struct Signature {
  std::vector<Shape> inputs;
  std::vector<DType> input_types;
  // Where `broadcasts` holds, each size of the input may be that or 1.
  std::vector<bool> broadcasts;
  // Of an i32 input: each number is one of 0 .. below - 1. 0: any.
  std::vector<std::int64_t> below;
  std::vector<Shape> outputs;
  std::vector<Axes> output_axes;

  void input(DType type, Shape shape);
  void ids(Shape shape, std::int64_t rows);  // i32
  void mask(DType type, Shape shape);        // broadcasts
  void output(Shape shape, Axes axes);       // of the signature's real type
};

struct Cost {
  double flops = 0;  // a multiply-add is 2; exp, division and comparison are 1
  double bytes = 0;  // what is needed of every input read once, every output written once: what no implementation can avoid
  Cost& operator+=(const Cost& other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

// What an operation's gradient works on. The loss is a number that depends on everything; dy and d are its derivatives.
template <class Real>
struct GradientArrays {
  std::span<const Tensor> in, out;  // what the operation took and gave
  const Real* dy = nullptr;         // by its first output; further outputs (kept maps) are taken to reach the loss no other way
  std::vector<Real*> d;             // by each input, written whole; null: not wanted
};

// What stands behind every descriptor of one type. Made by kind_of<Op>(), in the operation's own file.
struct Kind {
  std::string id, label, formula, source;
  Status (*describe)(const void* op, DType real, Signature& s) = nullptr;  // also checks the descriptor's sizes
  // Inputs and outputs as the signature says, contiguous, in C order.
  Status (*compute_f64)(const void* op, std::span<const Tensor> in, std::span<Tensor> out, const CancelToken& cancel) = nullptr;
  Status (*compute_f32)(const void* op, std::span<const Tensor> in, std::span<Tensor> out, const CancelToken& cancel) = nullptr;
  void (*add_to)(const void* op, Fingerprint& key) = nullptr;  // every field of the descriptor
  // `ready`: what may be kept between calls (tables, folded weights) is there already and not counted.
  double (*flops)(const void* op, bool ready) = nullptr;
  double (*untouched)(const void* op, bool ready, DType real) = nullptr;  // bytes of inputs that are never read; null: none
  // Small descriptors that together use every switch: conformance computes each on every backend.
  std::vector<Operation> (*examples)() = nullptr;
  // The gradient as plain loops; null where there is none. See gradient.h.
  Status (*gradient_f64)(const void* op, const GradientArrays<double>& arrays, const CancelToken& cancel) = nullptr;
  Status (*gradient_f32)(const void* op, const GradientArrays<float>& arrays, const CancelToken& cancel) = nullptr;
};

// Specialised for each descriptor type in its own .cpp file.
template <class Op>
const Kind& kind_of();

// Any operation, as a value. Copies share the descriptor, which never changes.
class Operation {
 public:
  template <class Op>
  requires(!std::is_same_v<std::remove_cvref_t<Op>, Operation>)
      Operation(Op op)  // NOLINT(google-explicit-constructor): a descriptor is an operation
      : kind_(&kind_of<Op>()), descriptor_(std::make_shared<const Op>(std::move(op))) {}

  const Kind& kind() const { return *kind_; }
  const std::string& id() const { return kind_->id; }
  // The descriptor if it is of this type, else null.
  template <class Op>
  const Op* get_if() const {
    return kind_ == &kind_of<Op>() ? static_cast<const Op*>(descriptor_.get()) : nullptr;
  }
  const void* descriptor() const { return descriptor_.get(); }

 private:
  const Kind* kind_;
  std::shared_ptr<const void> descriptor_;
};

// Calls `f` with the descriptor if its type is among Ops. False if it is not, and `f` was not called.
template <class... Ops, class F>
bool visit(const Operation& operation, F&& f) {
  const auto call = [&](const auto* op) { return op ? (f(*op), true) : false; };
  return (call(operation.get_if<Ops>()) || ...);
}

// Errors: invalid or too_large, with the operation's name, where a size or switch of the descriptor makes no sense.
Result<Signature> signature(const Operation& operation, DType real);
// Which operation, and every field of it.
void add_to(Fingerprint& key, const Operation& operation);
// Counted from the sizes; `ready` as in Kind::flops. An operation that makes no sense costs nothing.
Cost cost_of(const Operation& operation, DType real, bool ready = false);

// The plain loops, in the type of the outputs (f32 or f64). Errors: ids outside their table; cancelled; too_large.
Status compute(const Operation& operation, std::span<const Tensor> in, std::span<Tensor> out, const CancelToken& cancel);

// Whether the inputs fit the signature. The error names the input, what it is and what it must be.
Status check_inputs(const Operation& operation, std::span<const Tensor> in, DType real);
// Whether the outputs do.
Status check_outputs(const Operation& operation, std::span<const Tensor> out, DType real);

// That input or output `i` lies in memory without gaps.
Status check_contiguous(const Operation& operation, bool is_input, std::size_t i, const Tensor& tensor);

// Bytes of an array, refusing counts that overflow.
Result<std::uint64_t> checked_bytes(DType dtype, const Shape& shape);
// Every id within 0 .. rows-1; the error names the first that is not, as [i], or [i / per_line, i % per_line] if per_line > 0.
Status check_ids(std::span<const std::int32_t> ids, std::int64_t rows, std::int64_t per_line, const char* where);

}  // namespace headlight::operations
