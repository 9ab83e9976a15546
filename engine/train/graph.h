// A model's plan as a training computes it: one instruction for each operation, forward to the loss, and backward from the loss
// to the gradient of every parameter. The models themselves are written once, in engine/models.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/models/plan.h"
#include "engine/operations/operation.h"

namespace headlight::train {

// An array of the graph. It has the name of its step or parameter; a gradient has this name behind "grad.".
struct Array {
  enum class Kind {
    made,       // by an instruction
    parameter,  // a tensor of the model, `index` of ModelPlan::parameters
    ids,        // i32 [batch * length], the tokens that the model reads
    targets,    // i32 [batch * target_length], the tokens that a decoder reads
    labels,     // i32 [rows], the token that each position should predict; -1: none
    position,   // the computed table that is added to the embeddings; `index`: 1 of the targets
    places,     // i32 [length], 0, 1, 2, ...: the rows of a trained table of positions
    mask,       // u8, of the attention at site `index`
    bias,       // the numbers that the position adds to the scores of the attention at site `index`
    counter,    // i32 [1], another number each training step, from which dropout draws
    share,      // [rows], the gradient of the loss by each position's own loss
  };
  std::string name;
  Shape shape;  // without names of axes; an instruction may see the same numbers in another shape
  Kind kind = Kind::made;
  std::size_t index = 0;
};

struct Instruction {
  operations::Operation op;
  std::vector<std::size_t> in, out;  // values
};

inline constexpr std::size_t kNoArray = static_cast<std::size_t>(-1);

struct Graph {
  std::vector<Array> values;
  std::vector<Instruction> forward, backward;
  // of_node: by node of the plan, the value of its step. of_gradient: by value of the forward pass, its whole gradient. kNoArray:
  // the node has no value, or the value no gradient.
  std::vector<std::size_t> of_node, of_gradient;
  std::size_t losses = 0;               // value [rows]: each position's loss in nats, 0 without a label
  std::vector<std::size_t> parameters;  // values, one for each parameter that is a whole tensor
  std::vector<std::size_t> gradients;   // values, in the same order
  std::vector<std::size_t> specs;       // places in ModelPlan::parameters, in the same order
  double flops = 0;                     // of one step, forward and backward, as the operations count them
};

struct GraphOptions {
  double dropout = 0;          // of embeddings, attention weights and the results of attention and feed-forward part
  double label_smoothing = 0;  // of the cross-entropy
  std::uint64_t seed = 0;      // of dropout
  // Attention takes q, k and v as projections give them, with the heads side by side, unless another step reads the heads apart.
  // Nothing is split and merged then.
  bool heads_side_by_side = false;
  bool keep_slopes = false;  // activations also give their derivatives
};

// `plan` must end in logits (Sizes::output) and have its masks (models::add_masks), which are inputs of the graph. Errors: a plan
// without logits; an operation without a gradient between a parameter and the loss; a parameter that is another part of a tensor
// than its transpose.
// make_graph(plan, sizes, {.dropout = 0.1}): the instructions of one training step.
Result<Graph> make_graph(const models::ModelPlan& plan, const models::Sizes& sizes, const GraphOptions& options);

}  // namespace headlight::train
