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

// The memory of a model's graphs, of which one is computed at a time. Graphs of one model differ in their lengths only, so that
// they share what the longest needs, place by place.
class Arena {
 public:
  explicit Arena(std::shared_ptr<backends::Backend> backend) : backend_(std::move(backend)) {}
  // An array in the memory of place `slot`, which grows where it has to. What another graph left there is lost.
  Result<backends::Buffer> at(std::size_t slot, const Shape& shape);
  backends::Backend& backend() const { return *backend_; }

 private:
  std::shared_ptr<backends::Backend> backend_;
  std::vector<backends::Buffer> places_;
};

// What a step reads besides the parameters. Empty tensors stand for inputs that the graph does not have.
struct StepInputs {
  Tensor ids, targets, labels;        // i32, of any shape with the right count
  std::vector<Tensor> positions;      // of the text and of the targets: real
  std::vector<Tensor> masks, biases;  // by attention site
  std::int32_t counter = 0;           // of dropout: another one each step
  Tensor shares;                      // real [rows]: the gradient of the step's loss by each position's loss
};

// The inputs that a plan brings along: positions, masks and biases; the others stay empty.
StepInputs inputs_of(const models::ModelPlan& plan, const models::Sizes& sizes, const Document& document, DType real);

class Machine {
 public:
  // Errors: those of preparing an operation.
  // `keeps_all`: gradients stay until the next step, for someone who reads all of them.
  static Result<std::unique_ptr<Machine>> make(Graph graph, std::shared_ptr<Arena> arena, bool keeps_all = false);

  const Graph& graph() const { return graph_; }
  // Computes the losses from parameters in the order of Graph::parameters. Errors: no memory; the backend's; cancelled.
  Status forward(const StepInputs& inputs, std::span<const backends::Buffer> parameters, const CancelToken& cancel);
  // Then the gradients, of the inputs and parameters of the last forward().
  Status backward(const CancelToken& cancel);

  // Lets go of the arrays: those that have grown since for a longer text would be kept twice otherwise.
  void release();

  // Valid until release(), or until another graph of the arena is computed.
  Result<Tensor> losses() { return arena_->backend().download(values_[graph_.losses]); }
  Result<Tensor> read(std::size_t value) { return arena_->backend().download(values_[value]); }
  const backends::Buffer& gradient(std::size_t parameter) const { return values_[graph_.gradients[parameter]]; }

 private:
  struct Ready {
    std::unique_ptr<backends::Plan> plan;
    backends::Signature signature;
    std::vector<backends::Buffer> in, out;  // what it is executed on
  };
  Machine(Graph graph, std::shared_ptr<Arena> arena, bool keeps_all)
      : graph_(std::move(graph)), arena_(std::move(arena)), keeps_all_(keeps_all) {}
  Status prepare();
  Result<Ready> ready(const Instruction& one) const;
  void choose_slots();
  // Arrays of the arena for what the instructions make.
  Status bind(const std::vector<Instruction>& instructions, std::vector<Ready>& ready);
  // Puts the values that an instruction reads and writes into its buffers: those that `all` or a step brings anew.
  void take_values(const Instruction& one, Ready& ready, bool all) const;
  Status execute(const Instruction& one, Ready& ready, const CancelToken& cancel);

  Graph graph_;
  std::shared_ptr<Arena> arena_;
  bool keeps_all_;
  std::vector<Ready> forward_, backward_;
  std::vector<std::size_t> slots_;  // by value
  std::vector<backends::Buffer> values_;
  bool bound_ = false;  // what instructions make has its arrays
};

}  // namespace headlight::train
