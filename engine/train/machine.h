// A graph on a backend: every operation is prepared once, and arrays are allocated once, so that a training step allocates
// nothing.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/train/graph.h"

namespace headlight::train {

// The memory of a model's graphs, one of which is computed at a time. Graphs of one model differ in their lengths only, so that
// they share the memory of the longest one, place by place.
class Arena {
 public:
  explicit Arena(std::shared_ptr<backends::Backend> backend) : backend_(std::move(backend)) {}
  // An array in the memory of place `slot`, which grows if it is too small. Another graph's numbers there are lost.
  // at(0, {16, 128}): an array of 2048 numbers.
  Result<backends::Buffer> at(std::size_t slot, const Shape& shape);
  backends::Backend& backend() const { return *backend_; }

 private:
  std::shared_ptr<backends::Backend> backend_;
  std::vector<backends::Buffer> places_;
};

// The inputs of a step besides the parameters. Inputs that the graph does not have are empty tensors.
struct StepInputs {
  Tensor ids, targets, labels;        // i32, of any shape with the right number of elements
  std::vector<Tensor> positions;      // of the text and of the targets: real
  std::vector<Tensor> masks, biases;  // by attention site
  std::int32_t counter = 0;           // of dropout: another number each step
  Tensor shares;                      // real [rows]: the gradient of the step's loss by each position's loss
};

// The inputs that a plan brings along: positions, masks and biases. The other fields stay empty.
// inputs_of(plan, sizes, document, DType::f32): masks[0] is the mask of the first attention.
StepInputs inputs_of(const models::ModelPlan& plan, const models::Sizes& sizes, const Document& document, DType real);

class Machine {
 public:
  // Errors: those of preparing an operation. `keeps_all`: all gradients stay until the next step, for a caller that reads them
  // all.
  // make(std::move(graph), arena): ready for forward().
  static Result<std::unique_ptr<Machine>> make(Graph graph, std::shared_ptr<Arena> arena, bool keeps_all = false);

  const Graph& graph() const { return graph_; }
  // Computes the losses from parameters in the order of Graph::parameters. Errors: no memory; the backend's; cancelled.
  // forward(inputs, parameters, cancel): losses() then gives them.
  Status forward(const StepInputs& inputs, std::span<const backends::Buffer> parameters, const CancelToken& cancel);
  // Computes the gradients from the inputs and parameters of the last forward(). Errors: as of forward().
  Status backward(const CancelToken& cancel);

  // Frees the arrays: arrays that have grown since for a longer text would otherwise be kept twice.
  void release();

  // Valid until release(), or until another graph of the arena is computed.
  Result<Tensor> losses() { return arena_->backend().download(values_[graph_.losses]); }
  Result<Tensor> read(std::size_t value) { return arena_->backend().download(values_[value]); }
  const backends::Buffer& gradient(std::size_t parameter) const { return values_[graph_.gradients[parameter]]; }

 private:
  struct Ready {
    std::unique_ptr<backends::Plan> plan;
    backends::Signature signature;
    std::vector<backends::Buffer> in, out;  // the arrays that the plan is executed on
  };
  Machine(Graph graph, std::shared_ptr<Arena> arena, bool keeps_all)
      : graph_(std::move(graph)), arena_(std::move(arena)), keeps_all_(keeps_all) {}
  Status prepare();
  Result<Ready> ready(const Instruction& one) const;
  void choose_slots();
  // Allocates arrays of the arena for the instructions' results.
  Status bind(const std::vector<Instruction>& instructions, std::vector<Ready>& ready);
  // Puts the values that an instruction reads and writes into its buffers: all of them, or only those that every step brings
  // anew.
  void take_values(const Instruction& one, Ready& ready, bool all) const;
  Status execute(const Instruction& one, Ready& ready, const CancelToken& cancel);

  Graph graph_;
  std::shared_ptr<Arena> arena_;
  bool keeps_all_;
  std::vector<Ready> forward_, backward_;
  std::vector<std::size_t> slots_;  // by value
  std::vector<backends::Buffer> values_;
  bool bound_ = false;  // the instructions' results have their arrays
};

}  // namespace headlight::train
