#include "engine/train/graph.h"

#include <map>
#include <optional>
#include <set>

#include "engine/operations/activation.h"
#include "engine/operations/add.h"
#include "engine/operations/attention.h"
#include "engine/operations/cross_entropy.h"
#include "engine/operations/dropout.h"
#include "engine/operations/gather.h"
#include "engine/operations/gradient.h"
#include "engine/operations/linear.h"
#include "engine/operations/merge_heads.h"
#include "engine/operations/split_heads.h"
#include "engine/operations/transpose.h"

namespace headlight::train {
namespace {

namespace ops = operations;
using models::ModelPlan;
using models::Node;
using models::ParameterSpec;

class Forward {
 public:
  Forward(const ModelPlan& plan, const models::Sizes& sizes, const GraphOptions& options)
      : plan_(plan), sizes_(sizes), options_(options), of_node_(plan.nodes.size()) {}
  Status build();
  std::vector<std::size_t> values_of_nodes() const {
    std::vector<std::size_t> all;
    for (const auto& value : of_node_) all.push_back(value.value_or(kNoArray));
    return all;
  }
  Graph graph;

 private:
  std::size_t value(std::string name, Shape shape, Array::Kind kind = Array::Kind::made, std::size_t index = 0);
  // An input that is there once for all that read it.
  std::size_t input(const std::string& name, const Shape& shape, Array::Kind kind, std::size_t index = 0);
  Result<std::size_t> parameter(int which);
  Result<std::size_t> apply(const ops::Operation& op, std::vector<std::size_t> in, const std::string& name);
  Status add_node(std::size_t index);
  Status add_operations(const Node& node, std::size_t index);
  Result<std::size_t> dropped(std::size_t from, const std::string& name, std::int64_t rows, std::int64_t columns);
  Status add_loss(std::size_t logits, const Shape& shape);

  const ModelPlan& plan_;
  const models::Sizes& sizes_;
  const GraphOptions& options_;
  std::vector<std::optional<std::size_t>> of_node_;
  std::map<std::string, std::size_t> inputs_;
  std::uint64_t draws_ = 0;  // how many operations drop something so far: each has a seed of its own
};

std::size_t Forward::value(std::string name, Shape shape, Array::Kind kind, std::size_t index) {
  graph.values.push_back({std::move(name), std::move(shape), kind, index});
  return graph.values.size() - 1;
}

std::size_t Forward::input(const std::string& name, const Shape& shape, Array::Kind kind, std::size_t index) {
  const auto found = inputs_.find(name);
  if (found != inputs_.end()) return found->second;
  return inputs_[name] = value(name, shape, kind, index);
}

Result<std::size_t> Forward::parameter(int which) {
  const auto index = static_cast<std::size_t>(which);
  const ParameterSpec& spec = plan_.parameters[index];
  if (spec.part.of.empty()) {
    const bool known = inputs_.contains(spec.name);
    const std::size_t at = input(spec.name, spec.shape, Array::Kind::parameter, index);
    if (!known) {
      graph.parameters.push_back(at);
      graph.specs.push_back(index);
    }
    return at;
  }
  const auto found = inputs_.find(spec.name);
  if (found != inputs_.end()) return found->second;
  for (std::size_t i = 0; i < plan_.parameters.size(); ++i) {
    if (plan_.parameters[i].name != spec.part.of) continue;
    const Shape& stored = plan_.parameters[i].shape;
    if (!spec.part.transposed || stored != Shape{spec.shape[1], spec.shape[0]}) break;
    HL_ASSIGN(const std::size_t whole, parameter(static_cast<int>(i)));
    HL_ASSIGN(const std::size_t turned, apply(ops::Transpose{stored[0], stored[1]}, {whole}, spec.name));
    return inputs_[spec.name] = turned;
  }
  return invalid("only a parameter that is a whole other one, turned, can be trained").at(spec.name);
}

Result<std::size_t> Forward::apply(const ops::Operation& op, std::vector<std::size_t> in, const std::string& name) {
  HL_ASSIGN(const ops::Signature s, ops::signature(op, DType::f32));
  Instruction one{op, std::move(in), {}};
  for (std::size_t i = 0; i < s.outputs.size(); ++i)
    one.out.push_back(value(i == 0 ? name : name + "." + std::to_string(i), s.outputs[i]));
  graph.flops += ops::cost_of(op, DType::f32).flops;
  graph.forward.push_back(std::move(one));
  return graph.forward.back().out[0];
}

Result<std::size_t> Forward::dropped(std::size_t from, const std::string& name, std::int64_t rows, std::int64_t columns) {
  if (options_.dropout == 0) return from;
  const std::size_t counter = input("counter", {1}, Array::Kind::counter);
  return apply(ops::Dropout{rows, columns, options_.dropout, options_.seed + ++draws_}, {from, counter}, name + ".dropout");
}

Status Forward::add_operations(const Node& node, std::size_t index) {
  std::vector<std::size_t> in;
  for (const int from : node.inputs) in.push_back(*of_node_[static_cast<std::size_t>(from)]);
  for (const int p : node.parameters) {
    HL_ASSIGN(const std::size_t at, parameter(p));
    in.push_back(at);
  }
  std::size_t out = 0;
  for (std::size_t i = 0; i < node.ops.size(); ++i) {
    ops::Operation op = node.ops[i];
    // The step is what the last operation gives.
    const std::string name = node.step.name + (i + 1 < node.ops.size() ? "." + op.id() : "");
    if (const auto* attention = op.get_if<ops::Attention>()) {
      ops::Attention trained = *attention;
      trained.keep_weights = true;  // the gradient reads them
      trained.dropout = options_.dropout;
      trained.dropout_seed = options_.seed + ++draws_;
      const auto site = static_cast<std::size_t>(node.site);
      const models::SitePlan& s = plan_.sites[site];
      const std::string place = s.site.prefix;
      if (trained.has_mask) in.push_back(input(place + "mask", s.site.mask.mask.shape(), Array::Kind::mask, site));
      if (trained.has_bias)
        in.push_back(input(place + "position_bias", {1, trained.heads, trained.queries, trained.keys}, Array::Kind::bias, site));
      if (trained.dropout > 0) in.push_back(input("counter", {1}, Array::Kind::counter));
      op = trained;
    }
    std::optional<ops::Activate> activate;
    if (const auto* linear = op.get_if<ops::Linear>(); linear && linear->activation != ops::ActivationKind::none) {
      // The gradient of an activation needs what went into it, which a product that applies it does not give.
      activate = ops::Activate{linear->rows, linear->columns, linear->activation, options_.keep_slopes};
      ops::Linear plain = *linear;
      plain.activation = ops::ActivationKind::none;
      op = plain;
    }
    if (const auto* plain = op.get_if<ops::Activate>())
      op = ops::Activate{plain->rows, plain->columns, plain->activation, options_.keep_slopes};
    HL_ASSIGN(out, apply(op, std::move(in), activate ? name + ".product" : name));
    if (activate) {
      HL_ASSIGN(out, apply(*activate, {out}, name));
    }
    in = {out};
  }
  if (node.step.role == Role::input || node.step.role == Role::attention_output || node.step.role == Role::mlp_output) {
    HL_ASSIGN(out, dropped(out, node.step.name, node.step.shape[0] * node.step.shape[1], node.step.shape[2]));
  }
  of_node_[index] = out;
  return {};
}

Status Forward::add_node(std::size_t index) {
  const Node& node = plan_.nodes[index];
  const Shape& shape = node.step.shape;
  switch (node.source) {
    case Node::Source::aside:
    case Node::Source::mask:
    case Node::Source::mask_part:
    case Node::Source::bias:
    case Node::Source::rearranged:
    case Node::Source::attention: return {};  // inputs of the attention itself, or pictures of what it does
    case Node::Source::view: of_node_[index] = of_node_[static_cast<std::size_t>(node.inputs[0])]; return {};
    case Node::Source::tokens:
      of_node_[index] = input(node.of_targets ? "targets" : "ids", {shape[0] * shape[1]},
                              node.of_targets ? Array::Kind::targets : Array::Kind::ids);
      return {};
    case Node::Source::embedding: {
      HL_ASSIGN(const std::size_t table, parameter(node.parameters[0]));
      const Shape& rows = graph.values[table].shape;
      HL_ASSIGN(of_node_[index], apply(ops::Gather{shape[0] * shape[1], rows[0], rows[1]},
                                       {table, *of_node_[static_cast<std::size_t>(node.inputs[0])]}, node.step.name));
      return {};
    }
    case Node::Source::position:
      if (!node.parameters.empty()) {
        HL_ASSIGN(const std::size_t table, parameter(node.parameters[0]));
        const std::size_t places = input(node.step.name + ".places", {shape[0]}, Array::Kind::places);
        HL_ASSIGN(of_node_[index],
                  apply(ops::Gather{shape[0], graph.values[table].shape[0], shape[1]}, {table, places}, node.step.name));
        return {};
      }
      of_node_[index] = input(node.step.name, shape, Array::Kind::position, node.of_targets ? 1 : 0);
      return {};
    case Node::Source::operations: return add_operations(node, index);
  }
  return {};
}

Status Forward::add_loss(std::size_t logits, const Shape& shape) {
  const std::int64_t rows = shape[0] * shape[1];
  const std::size_t labels = input("labels", {rows}, Array::Kind::labels);
  HL_ASSIGN(graph.losses, apply(ops::CrossEntropy{rows, shape[2], options_.label_smoothing}, {logits, labels}, "loss"));
  return {};
}

Status Forward::build() {
  for (std::size_t i = 0; i < plan_.nodes.size(); ++i) {
    const Node& node = plan_.nodes[i];
    HL_TRY(add_node(i));
    if (node.step.role == Role::logits) return add_loss(*of_node_[i], node.step.shape);
  }
  return invalid("this model says nothing of the next token, so there is nothing to train")
      .at("logits")
      .mend("give it an output: Sizes::output");
}

// Joins each attention with the instructions that split its heads and merge them again, where these have no other reader.
void put_heads_side_by_side(Graph& graph) {
  std::vector<std::size_t> maker(graph.values.size(), kNoArray);       // by value, the instruction that makes it
  std::vector<std::vector<std::size_t>> readers(graph.values.size());  // by value
  for (std::size_t i = 0; i < graph.forward.size(); ++i) {
    for (const std::size_t out : graph.forward[i].out) maker[out] = i;
    for (const std::size_t in : graph.forward[i].in) readers[in].push_back(i);
  }
  std::set<std::size_t> gone, lost;  // instructions and what they made
  for (Instruction& one : graph.forward) {
    const auto* const attention = one.op.get_if<ops::Attention>();
    if (!attention || attention->additive) continue;
    const std::vector<std::size_t>& merges = readers[one.out[0]];
    if (merges.size() != 1 || !graph.forward[merges[0]].op.get_if<ops::MergeHeads>()) continue;
    const bool split = std::all_of(one.in.begin(), one.in.begin() + 3, [&](std::size_t in) {
      return maker[in] != kNoArray && readers[in].size() == 1 && graph.forward[maker[in]].op.get_if<ops::SplitHeads>();
    });
    if (!split) continue;
    ops::Attention joined = *attention;
    joined.side_by_side = true;
    one.op = joined;
    const auto take = [&](std::size_t& value, std::size_t instruction, std::size_t instead) {
      lost.insert(value);
      gone.insert(instruction);
      value = instead;
    };
    for (std::size_t i = 0; i < 3; ++i) take(one.in[i], maker[one.in[i]], graph.forward[maker[one.in[i]]].in[0]);
    take(one.out[0], merges[0], graph.forward[merges[0]].out[0]);
  }
  std::vector<Instruction> left;
  for (std::size_t i = 0; i < graph.forward.size(); ++i)
    if (!gone.contains(i)) left.push_back(std::move(graph.forward[i]));
  graph.forward = std::move(left);
  for (std::size_t& value : graph.of_node)
    if (lost.contains(value)) value = kNoArray;
}

// Reverse-mode differentiation: instructions from last to first, each value's gradient the sum of what its readers give it.
class Backward {
 public:
  explicit Backward(Graph& graph) : graph_(graph), given_(graph.values.size()), depends_(graph.values.size(), false) {}
  Status build();

 private:
  Status descend(const Instruction& one);
  // The sum of what has been given so far; only asked for once every reader has given its part.
  Result<std::size_t> gradient_of(std::size_t value);
  std::size_t made(std::size_t value, const std::string& more = {});

  Graph& graph_;
  std::vector<std::vector<std::size_t>> given_;  // by value of the forward pass
  std::vector<bool> depends_;                    // on a parameter
};

std::size_t Backward::made(std::size_t value, const std::string& more) {
  graph_.values.push_back({"grad." + graph_.values[value].name + more, graph_.values[value].shape, Array::Kind::made, 0});
  return graph_.values.size() - 1;
}

Result<std::size_t> Backward::gradient_of(std::size_t value) {
  std::vector<std::size_t>& parts = given_[value];
  const std::int64_t count = element_count(graph_.values[value].shape);
  while (parts.size() > 1) {
    const std::size_t sum = made(value, ".sum");
    graph_.backward.push_back({ops::Add{1, count, false}, {parts[0], parts[1]}, {sum}});
    parts.erase(parts.begin());
    parts[0] = sum;
  }
  graph_.of_gradient[value] = parts[0];
  return parts[0];
}

Status Backward::descend(const Instruction& one) {
  if (!depends_[one.out[0]] || given_[one.out[0]].empty()) return {};
  HL_ASSIGN(const std::size_t dy, gradient_of(one.out[0]));
  if (const auto* add = one.op.get_if<ops::Add>(); add && !add->b_repeats) {  // passes it on as it is
    for (const std::size_t in : one.in)
      if (depends_[in]) given_[in].push_back(dy);
    return {};
  }
  std::vector<bool> wanted = ops::inputs_with_gradient(one.op);
  for (std::size_t i = 0; i < one.in.size(); ++i) {
    if (depends_[one.in[i]] && !wanted[i]) return invalid("there is no gradient by its input {}", i).at(one.op.id());
    wanted[i] = depends_[one.in[i]];
  }
  Instruction gradient{ops::Gradient{one.op, wanted}, one.in, {}};
  gradient.in.insert(gradient.in.end(), one.out.begin(), one.out.end());
  gradient.in.push_back(dy);
  for (std::size_t i = 0; i < one.in.size(); ++i) {
    if (!wanted[i]) continue;
    const std::size_t by = made(one.in[i], given_[one.in[i]].empty() ? "" : ".part");
    given_[one.in[i]].push_back(by);
    gradient.out.push_back(by);
  }
  graph_.flops += ops::cost_of(gradient.op, DType::f32).flops;
  graph_.backward.push_back(std::move(gradient));
  return {};
}

Status Backward::build() {
  graph_.of_gradient.assign(graph_.values.size(), kNoArray);
  for (const std::size_t p : graph_.parameters) depends_[p] = true;
  for (const Instruction& one : graph_.forward)
    for (const std::size_t in : one.in)
      if (depends_[in])
        for (const std::size_t out : one.out) depends_[out] = true;
  graph_.values.push_back({"share", graph_.values[graph_.losses].shape, Array::Kind::share, 0});
  given_[graph_.losses] = {graph_.values.size() - 1};
  for (std::size_t i = graph_.forward.size(); i-- > 0;) HL_TRY(descend(graph_.forward[i]));
  for (const std::size_t p : graph_.parameters) {
    if (given_[p].empty()) return invalid("no loss depends on it").at(graph_.values[p].name);
    HL_ASSIGN(const std::size_t sum, gradient_of(p));
    graph_.gradients.push_back(sum);
  }
  return {};
}

}  // namespace

Result<Graph> make_graph(const ModelPlan& plan, const models::Sizes& sizes, const GraphOptions& options) {
  Forward forward(plan, sizes, options);
  HL_TRY(forward.build());
  forward.graph.of_node = forward.values_of_nodes();
  if (options.heads_side_by_side) put_heads_side_by_side(forward.graph);
  HL_TRY(Backward(forward.graph).build());
  return std::move(forward.graph);
}

}  // namespace headlight::train
