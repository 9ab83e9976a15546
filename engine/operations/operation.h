// An operation: a descriptor of its sizes and switches, the shapes of its inputs and outputs, its counted cost, and its
// arithmetic as plain loops over float or double. In double these loops are the reference, the teaching code and the oracle; in
// float a backend falls back on them where it has no faster way. An operation is the files NAME.{h,cpp} and
// NAME_words.cpp, and a line in list.inc.
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
  // Where `broadcasts` is true, each size of the input may be the signature's size or 1.
  std::vector<bool> broadcasts;
  // Of an i32 input: each number is one of 0 .. below - 1. 0: any number.
  std::vector<std::int64_t> below;
  std::vector<Shape> outputs;
  std::vector<Axes> output_axes;

  // input(DType::f32, {2, 3}) adds an input of two rows and three columns, ids({8}, 500) adds eight numbers of 0 .. 499, and
  // output({2, 3}, {"row", "column"}) adds an output.
  void input(DType type, Shape shape);
  void ids(Shape shape, std::int64_t rows);  // i32
  void mask(DType type, Shape shape);        // broadcasts
  void output(Shape shape, Axes axes);       // of the signature's real type
};

struct Cost {
  double flops = 0;  // a multiply-add is 2; exp, division and comparison are 1
  double bytes = 0;  // every needed input read once and every output written once: no implementation can move fewer bytes
  Cost& operator+=(const Cost& other) {
    flops += other.flops;
    bytes += other.bytes;
    return *this;
  }
};

// The arrays of an operation's gradient. The loss is a number that depends on everything; dy and d are its derivatives.
template <class Real>
struct GradientArrays {
  std::span<const Tensor> in, out;  // the operation's inputs and outputs
  const Real* dy = nullptr;         // by its first output; further outputs (kept maps) are assumed not to affect the loss
  std::vector<Real*> d;             // by each input, written whole; null: not wanted
};

// The functions and texts behind every descriptor of one type. kind_of<Op>() makes it, in the operation's own file.
struct Kind {
  std::string id, label, formula, source;
  Status (*describe)(const void* op, DType real, Signature& s) = nullptr;  // also checks the descriptor's sizes
  // Inputs and outputs as the signature says, contiguous, in C order.
  Status (*compute_f64)(const void* op, std::span<const Tensor> in, std::span<Tensor> out, const CancelToken& cancel) = nullptr;
  Status (*compute_f32)(const void* op, std::span<const Tensor> in, std::span<Tensor> out, const CancelToken& cancel) = nullptr;
  void (*add_to)(const void* op, Fingerprint& key) = nullptr;  // every field of the descriptor
  // `ready`: arrays that may be kept between calls (tables, folded weights) exist already and are not counted.
  double (*flops)(const void* op, bool ready) = nullptr;
  double (*untouched)(const void* op, bool ready, DType real) = nullptr;  // bytes of inputs that are never read; null: none
  // Small descriptors that together use every switch: conformance computes each on every backend.
  std::vector<Operation> (*examples)() = nullptr;
  // The gradient as plain loops; null: the operation has none. See gradient.h.
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

// Calls `f` with the descriptor if its type is among Ops; otherwise returns false without a call.
// visit<Linear, Softmax>(operation, [](const auto& op) { use(op.rows); }) returns false for an Add.
template <class... Ops, class F>
bool visit(const Operation& operation, F&& f) {
  const auto call = [&](const auto* op) { return op ? (f(*op), true) : false; };
  return (call(operation.get_if<Ops>()) || ...);
}

// Errors (invalid or too_large), with the operation's name: a size or switch of the descriptor makes no sense.
// signature(Transpose{2, 3}, DType::f32): one input [2, 3] and one output [3, 2].
Result<Signature> signature(const Operation& operation, DType real);
// Adds the operation's id and every field of its descriptor to the key. add_to(key, Transpose{2, 3}).
void add_to(Fingerprint& key, const Operation& operation);
// Counted from the sizes; `ready` as in Kind::flops. Inputs that broadcast (masks) are left out, and an operation whose sizes
// make no sense costs nothing.
// cost_of(Transpose{2, 3}, DType::f32): bytes is 48, six numbers read and six written.
Cost cost_of(const Operation& operation, DType real, bool ready = false);

// The plain loops, in the type of the outputs (f32 or f64). Errors: ids outside their table; cancelled; too_large.
// compute(Transpose{2, 3}, in, out, {}) writes the transpose of in[0] into out[0].
Status compute(const Operation& operation, std::span<const Tensor> in, std::span<Tensor> out, const CancelToken& cancel);
// How often this process has called compute(). A test reads it before and after a backend works, and so learns whether the
// backend computed the result itself.
std::uint64_t plain_runs();

// Whether the inputs fit the signature. The error names the input, its shape or type and the expected one.
// check_inputs(Transpose{2, 3}, in, DType::f32) fails unless in is one f32 array [2, 3].
Status check_inputs(const Operation& operation, std::span<const Tensor> in, DType real);
// Whether the outputs fit the signature, in the same way.
Status check_outputs(const Operation& operation, std::span<const Tensor> out, DType real);

// Checks that input or output `i` lies in memory without gaps. check_contiguous(operation, true, 0, in[0]): the first input.
Status check_contiguous(const Operation& operation, bool is_input, std::size_t i, const Tensor& tensor);

// Bytes of an array. Errors: a negative size (invalid), a count that overflows (too_large).
// checked_bytes(DType::f32, {2, 3}) gives 24.
Result<std::uint64_t> checked_bytes(DType dtype, const Shape& shape);
// Checks that every id is within 0 .. rows-1. The error names the first id that is not, as [i], or [i / per_line, i % per_line]
// if per_line > 0. check_ids({0, 9}, 4, 0, "ids"): index 9 at [1] is outside the table of 4 rows.
Status check_ids(std::span<const std::int32_t> ids, std::int64_t rows, std::int64_t per_line, const char* where);

}  // namespace headlight::operations
