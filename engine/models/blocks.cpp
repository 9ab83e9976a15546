// Norms, residual sums, embeddings and the feed-forward part; attention is in attention_block.cpp.
#include "engine/models/blocks.h"

#include <cmath>

#include "engine/models/formula_numbers.h"
#include "engine/operations/add.h"
#include "engine/operations/gather.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"
#include "engine/operations/multiply.h"
#include "engine/operations/rms_norm.h"
#include "engine/operations/scale.h"
#include "engine/operations/soft_cap.h"
#include "engine/operations/softmax.h"

namespace headlight::models {

using Fill = ParameterSpec::Fill;
using Source = Node::Source;
namespace ops = operations;

namespace {

// What a step says of itself, whole, so that the window can say it in another language.
const char* projected_words(ops::ActivationKind kind) {
  using enum ops::ActivationKind;
  switch (kind) {
    case none: return "project";
    case relu: return "project, ReLU";
    case gelu: return "project, GELU";
    case tanh: return "project, tanh";
    case silu: return "project, SiLU";
    case gelu_tanh: return "project, GELU, by tanh";
  }
  return "project";
}

}  // namespace

int PlanBuilder::parameter(const std::string& name, Shape shape, Axes axes, Fill fill, double deviation) {
  ParameterSpec spec;
  spec.name = "parameters." + name;
  spec.shape = std::move(shape);
  spec.axes = std::move(axes);
  spec.fill = fill;
  spec.deviation = deviation;
  plan.parameters.push_back(std::move(spec));
  return static_cast<int>(plan.parameters.size()) - 1;
}

int PlanBuilder::embedding_table(const std::string& name, const Sizes::Tokens& tokens) {
  const int table = parameter(name, {tokens.rows(), d_}, {"token", "d_model"}, Fill::normal, 1);
  ParameterSpec& spec = plan.parameters[static_cast<std::size_t>(table)];
  spec.zero_row = tokens.pad_id;
  spec.by_rows = true;
  return table;
}

Node PlanBuilder::node(std::string name, Role role, std::string operation, std::string formula, Shape shape, Axes axes) const {
  Node n;
  n.step.name = std::move(name);
  n.step.role = role;
  n.step.operation = std::move(operation);
  n.step.formula = std::move(formula);
  n.step.shape = std::move(shape);
  n.step.axes = std::move(axes);
  n.step.dtype = real_;
  n.step.kept = true;
  n.step.origin = origin_;
  return n;
}

int PlanBuilder::add(Node n) {
  for (const int input : n.inputs) n.step.inputs.push_back(name_of(input));
  for (const int p : n.parameters) n.step.inputs.push_back(plan.parameters[static_cast<std::size_t>(p)].name);
  if (!n.step.computed_by.known() && !n.ops.empty()) n.step.computed_by = n.ops.front().kind();
  // A step's rows are those of its first input, unless it says otherwise.
  n.step.of_targets =
      n.of_targets || (!n.inputs.empty() && plan.nodes[static_cast<std::size_t>(n.inputs.front())].step.of_targets);
  plan.nodes.push_back(std::move(n));
  return static_cast<int>(plan.nodes.size()) - 1;
}

Node PlanBuilder::view(std::string name, Role role, std::string formula, int from, Shape shape, Axes axes) const {
  Node n = node(std::move(name), role, "pass on", std::move(formula), std::move(shape), std::move(axes));
  n.source = Source::view;
  n.step.computed_by = Computation::view;
  n.inputs = {from};
  return n;
}

int PlanBuilder::rearranged(Node n, int from, std::vector<int> order, std::vector<std::string> inputs) {
  n.source = Source::rearranged;
  n.order = std::move(order);
  n.step.kept = false;
  if (!n.step.computed_by.known()) n.step.computed_by = Computation::rearranged;
  for (const Node& node : plan.nodes)
    if (node.step.name == inputs.front()) n.of_targets = node.step.of_targets;
  n.step.inputs = std::move(inputs);
  const int at = add(std::move(n));
  plan.nodes[static_cast<std::size_t>(at)].inputs = {from};
  return at;
}

Node PlanBuilder::linear(Node n, const Stream& stream, int from, std::int64_t inner, std::int64_t columns,
                         const std::string& weight, const std::string& bias, Axes weight_axes) {
  const Axes bias_axes{weight_axes.back()};
  n.ops.insert(n.ops.begin(), ops::Linear{rows(stream), inner, columns, !bias.empty(), ops::ActivationKind::none});
  n.inputs = {from};
  n.parameters = {
      parameter(weight, {inner, columns}, std::move(weight_axes), Fill::normal, 1 / std::sqrt(static_cast<double>(inner)))};
  if (!bias.empty()) n.parameters.push_back(parameter(bias, {columns}, bias_axes, Fill::normal, kBiasDeviation));
  return n;
}

void PlanBuilder::angles(const std::string& prefix, bool of_targets, std::int64_t length) {
  const std::int64_t pairs = (d_ + 1) / 2;
  add(aside(prefix + "places", Role::position_part, Node::Aside::places, of_targets, "0 .. " + number(length - 1) + ", one a row",
            {length, 1}, {"position", "1"}));
  add(aside(prefix + "div_term", Role::position_part, Node::Aside::frequencies, of_targets,
            "exp(-2i ln(10000) / " + number(d_) + "), i = 0 .. " + number(pairs - 1), {pairs}, {"pair"}));
  Node product = aside(prefix + "angles", Role::position_part, Node::Aside::angles, of_targets,
                       "places * div_term: every place with every frequency", {length, pairs}, {"position", "pair"});
  product.step.inputs = {prefix + "places", prefix + "div_term"};
  add(std::move(product));
}

int PlanBuilder::position_rows(const std::string& prefix, bool of_targets, std::int64_t length, const positions::Entry& entry) {
  // An entry whose table is drawn at random is one that a training learns.
  const bool trained = entry.random && sizes_.trained_positions > 0;
  Node n =
      node(prefix + "position", Role::position, trained ? "look up rows" : entry.label + " positions",
           trained ? "position[i, :] = P[i, :], P [" + number(sizes_.trained_positions) + ", " + number(d_) + "]" : entry.formula,
           {length, d_}, {"position", "d_model"});
  n.source = Source::position;
  n.step.computed_by = Computation::position;
  if (entry.frequency) angles(prefix, of_targets, length);
  n.of_targets = of_targets;
  n.step.origin = entry.random ? Origin::random : Origin::computed;
  if (trained)
    n.parameters = {
        parameter(prefix + "position", {sizes_.trained_positions, d_}, {"position", "d_model"}, Fill::normal, std::sqrt(0.5))};
  const int rows = add(std::move(n));
  if (entry.frequency)
    add(view(prefix + "position_unsqueezed", Role::position_unsqueezed, "unsqueeze(0): the same for every sentence of the batch",
             rows, {1, length, d_}, {"batch", "position", "d_model"}));
  return rows;
}

Stream PlanBuilder::embed(const std::string& prefix, bool of_targets, int table, const positions::Entry* position,
                          const EmbeddingPart& part) {
  Stream stream;
  stream.of_targets = of_targets;
  stream.length = of_targets ? sizes_.target_length : sizes_.text_length;
  const std::int64_t b = sizes_.batch, n = stream.length;
  const Sizes::Tokens& from = of_targets ? sizes_.target_tokens : sizes_.text_tokens;
  const Axes vector_axes{"batch", "position", "d_model"};

  Node tokens = node(prefix + "tokens", Role::tokens, "tokenize",
                     "ids[b, i] = number of piece i in the vocabulary of " + from.label + ", 0 .. " + number(from.vocabulary - 1),
                     {b, n}, {"batch", "position"});
  tokens.source = Source::tokens;
  tokens.step.computed_by = Computation::tokens;
  tokens.of_targets = of_targets;
  tokens.step.dtype = DType::i32;
  tokens.step.origin = Origin::computed;
  if (b > 1)
    tokens.step.note = from.pad_id >= from.vocabulary
                           ? "shorter sentences are filled up with " + number(from.pad_id) + ", the size of the vocabulary"
                       : from.pad_id >= 0 ? "shorter sentences are filled up with [PAD], id " + number(from.pad_id)
                                          : std::string("shorter sentences are filled up with -1, which is no token");
  const int ids = add(std::move(tokens));

  Node embedding = node(prefix + "embedding", Role::embedding, "look up rows",
                        "embedding[b, i, :] = E[ids[b, i], :], E [" + number(from.rows()) + ", " + number(d_) + "]" +
                            (from.pad_id >= from.vocabulary ? "; the last row is for padding and zero"
                             : from.pad_id >= 0             ? "; the row of [PAD] is zero"
                                                            : "") +
                            " (the same as one-hot(ids) E)",
                        vectors(stream, d_), vector_axes);
  embedding.source = Source::embedding;
  embedding.step.computed_by = ops::kind_of<ops::Gather>();
  embedding.of_targets = of_targets;
  embedding.inputs = {ids};
  embedding.parameters = {table};
  const int looked_up = add(std::move(embedding));

  const bool positioned = position && position->make;
  int at = looked_up;
  if (part.scale != 1) at = scaled_rows(prefix, stream, at, part.scale);
  if (positioned) {
    const int encoded = position_rows(prefix, of_targets, n, *position);
    const bool last = part.token_types == 0 && !part.norm;
    Node sum = node(prefix + (last ? "input" : "embedding_and_position"), last ? Role::input : Role::other, "add",
                    own_name(name_of(at)) + "[b, i, :] + position[i, :]", vectors(stream, d_), vector_axes);
    if (last) sum.step.formula = "input[b, i, :] = " + sum.step.formula;
    sum.ops = {ops::Add{b, n * d_, true}};
    sum.inputs = {at, encoded};
    at = add(std::move(sum));
  }
  if (part.token_types > 0)
    at = sizes_.pairs ? with_types_of_pair(prefix, stream, at, part.token_types) : with_token_type(prefix, stream, at);
  if (part.norm) at = norm(prefix + "input", Role::input, *part.norm, stream, at);
  if (!positioned && !part.norm) {
    Node alone = view(prefix + "input", Role::input, "input = " + own_name(name_of(at)) + ": no positions are added", at,
                      vectors(stream, d_), vector_axes);
    at = add(std::move(alone));
  }
  if (positions_are_out(interventions_, prefix))
    plan.nodes[static_cast<std::size_t>(at)].step.note = "intervention: positions left out";
  stream.node = at;
  return stream;
}

int PlanBuilder::scaled_rows(const std::string& prefix, const Stream& stream, int from, double factor) {
  Node n = node(prefix + "embedding_scaled", Role::other, "scale", "embedding * " + number(factor), vectors(stream, d_),
                {"batch", "position", "d_model"});
  n.ops = {ops::Scale{rows(stream), d_, factor}};
  n.inputs = {from};
  return add(std::move(n));
}

int PlanBuilder::with_token_type(const std::string& prefix, const Stream& stream, int from) {
  Node n = node(prefix + "embedding_and_type", Role::other, "add",
                own_name(name_of(from)) + "[b, i, :] + token_type[:], the row of the first sentence's tokens",
                vectors(stream, d_), {"batch", "position", "d_model"});
  n.ops = {ops::Add{rows(stream), d_, true}};
  n.inputs = {from};
  n.parameters = {parameter(prefix + "token_type", {d_}, {"d_model"}, Fill::normal, 1)};
  return add(std::move(n));
}

// The types are the ids of the targets, of which there are no others.
int PlanBuilder::with_types_of_pair(const std::string& prefix, const Stream& stream, int from, std::int64_t types) {
  const Axes vector_axes{"batch", "position", "d_model"};
  Node ids = node(prefix + "token_types", Role::other, "tokenize", "0: the first sentence, 1: the second",
                  {sizes_.batch, stream.length}, {"batch", "position"});
  ids.source = Source::tokens;
  ids.of_targets = true;
  ids.step.computed_by = Computation::aside;
  ids.step.dtype = DType::i32;
  ids.step.origin = Origin::computed;
  const int type_ids = add(std::move(ids));
  Node looked_up = node(prefix + "type", Role::other, "look up rows",
                        "type[b, i, :] = T[token_types[b, i], :], T [" + number(types) + ", " + number(d_) + "]",
                        vectors(stream, d_), vector_axes);
  looked_up.source = Source::embedding;
  looked_up.of_targets = true;
  looked_up.step.computed_by = ops::kind_of<ops::Gather>();
  looked_up.inputs = {type_ids};
  looked_up.parameters = {parameter(prefix + "token_types", {types, d_}, {"type", "d_model"}, Fill::normal, 1)};
  plan.parameters.back().by_rows = true;
  const int type_rows = add(std::move(looked_up));
  for (const int one : {type_ids, type_rows}) plan.nodes[static_cast<std::size_t>(one)].step.of_targets = false;
  Node n = node(prefix + "embedding_and_type", Role::other, "add", own_name(name_of(from)) + "[b, i, :] + type[b, i, :]",
                vectors(stream, d_), vector_axes);
  n.ops = {ops::Add{rows(stream), d_, false}};
  n.inputs = {from, type_rows};
  return add(std::move(n));
}

Node PlanBuilder::norm_node(const std::string& name, Role role, const NormPart& part, std::int64_t rows, std::int64_t width,
                            Shape shape, Axes axes, int from) {
  const std::string epsilon = number(part.epsilon), shift = part.bias ? " + beta" : "", over = axes.back();
  const std::string formula = part.rms ? "x / sqrt(mean(x^2) + " + epsilon + ") * gamma"
                                       : "(x - mean(x)) / sqrt(var(x) + " + epsilon + ") * gamma" + shift;
  Node n = node(name, role, part.rms ? "RMSNorm" : "LayerNorm", formula + ", over " + over + " = " + number(width),
                std::move(shape), std::move(axes));
  n.step.note = part.note;
  if (part.rms)
    n.ops = {ops::RmsNorm{rows, width, part.epsilon}};
  else
    n.ops = {ops::LayerNorm{rows, width, part.epsilon, part.bias}};
  n.inputs = {from};
  const std::string parameters = part.parameters.empty() ? name : part.parameters;
  n.parameters = {parameter(parameters + ".gamma", {width}, {over}, Fill::ones, 0)};
  if (!part.rms && part.bias) n.parameters.push_back(parameter(parameters + ".beta", {width}, {over}, Fill::zeros, 0));
  return n;
}

int PlanBuilder::norm(const std::string& name, Role role, const NormPart& part, const Stream& stream, int from) {
  return add(norm_node(name, role, part, rows(stream), d_, vectors(stream, d_), {"batch", "position", "d_model"}, from));
}

int PlanBuilder::residual(const std::string& name, Role role, const Stream& stream, int part) {
  Node sum = node(name, role, "add", name_of(stream.node) + " + " + name_of(part), vectors(stream, d_),
                  {"batch", "position", "d_model"});
  sum.ops = {ops::Add{1, rows(stream) * d_, false}};
  sum.inputs = {stream.node, part};
  return add(std::move(sum));
}

int PlanBuilder::hidden(const std::string& prefix, const FeedForwardPart& part, const Stream& stream, int from) {
  const ops::Activation& f = ops::activation_of(part.activation);
  const Axes axes{"batch", "position", "d_ff"}, weight_axes{"d_model", "d_ff"};
  const auto bias = [&](const char* name) { return part.bias ? prefix + name : std::string(); };
  const auto plus = [&](const char* name) { return part.bias ? std::string(" + ") + name : std::string(); };
  // The matrix product applies the first few activations itself; the others are an operation of their own behind it.
  const bool fused = part.activation <= ops::ActivationKind::tanh;
  const auto activated = [&](Node n) {
    n.step.activation = f.id;
    if (fused) {
      ops::Linear product = *n.ops.front().get_if<ops::Linear>();
      product.activation = part.activation;
      n.ops.front() = product;
    } else {
      n.ops.push_back(ops::Activate{rows(stream), part.d_ff, part.activation});
    }
    return n;
  };
  const bool relu = part.activation == ops::ActivationKind::relu;
  const auto formula = [&](const std::string& x) {
    return relu ? "max(0, " + x + ")" : f.id + "(" + x + "), " + f.id + "(x) = " + f.formula;
  };
  if (!part.gated)
    return add(activated(linear(node(prefix + "mlp_hidden", Role::mlp_hidden, projected_words(part.activation),
                                     formula("x W_up" + plus("b_up")), vectors(stream, part.d_ff), axes),
                                stream, from, d_, part.d_ff, prefix + "w_up", bias("b_up"), weight_axes)));
  const int gate = add(activated(linear(node(prefix + "mlp_gate", Role::mlp_gate, projected_words(part.activation),
                                             formula("x W_gate" + plus("b_gate")), vectors(stream, part.d_ff), axes),
                                        stream, from, d_, part.d_ff, prefix + "w_gate", bias("b_gate"), weight_axes)));
  const int up =
      add(linear(node(prefix + "mlp_up", Role::mlp_up, "project", "x W_up" + plus("b_up"), vectors(stream, part.d_ff), axes),
                 stream, from, d_, part.d_ff, prefix + "w_up", bias("b_up"), weight_axes));
  Node product = node(prefix + "mlp_hidden", Role::mlp_hidden, "multiply", "mlp_gate * mlp_up, number by number",
                      vectors(stream, part.d_ff), axes);
  product.ops = {ops::Multiply{rows(stream), part.d_ff}};
  product.inputs = {gate, up};
  return add(std::move(product));
}

int PlanBuilder::feed_forward(const std::string& prefix, const FeedForwardPart& part, const Stream& stream, int from) {
  const int up = hidden(prefix, part, stream, from);
  const OutputChange change = change_of_part(prefix, Role::mlp_output, stream);
  const bool own = !change.words.empty();
  const int down = add(linear(node(prefix + "mlp_output" + (own ? kOwn : ""), own ? Role::other : Role::mlp_output, "project",
                                   std::string("mlp_hidden W_down") + (part.bias ? " + b_down" : ""), vectors(stream, d_),
                                   {"batch", "position", "d_model"}),
                              stream, up, part.d_ff, d_, prefix + "w_down", part.bias ? prefix + "b_down" : std::string(),
                              {"d_ff", "d_model"}));
  return own ? changed_output(prefix + "mlp_output", Role::mlp_output, change, down) : down;
}

void PlanBuilder::output(const Stream& stream, int table, bool tied, double cap) {
  const ParameterSpec of = plan.parameters[static_cast<std::size_t>(table)];
  const std::int64_t tokens = (stream.of_targets && sizes_.target_table ? sizes_.target_tokens : sizes_.text_tokens).vocabulary;
  const Shape shape{sizes_.batch, stream.length, tokens};
  const Axes axes{"batch", "position", "token"};
  Node scores =
      linear(node("logits", Role::logits, "project",
                  tied ? name_of(stream.node) + " E^T, E the embedding table" : name_of(stream.node) + " W", shape, axes),
             stream, stream.node, d_, tokens, "output", {}, {"d_model", "token"});
  if (tied) {
    ParameterSpec& matrix = plan.parameters[static_cast<std::size_t>(scores.parameters[0])];
    matrix.part = {of.name, of.shape, 0, 0, true};
    matrix.zero_row = of.zero_row;
  }
  if (cap > 0) {
    scores.ops.emplace_back(ops::SoftCap{rows(stream), tokens, cap});
    scores.step.formula = number(cap) + " tanh(x / " + number(cap) + "), x = " + scores.step.formula;
  }
  const int logits = add(std::move(scores));
  Node shares = node("probabilities", Role::probabilities, "softmax over tokens",
                     "probabilities[b, i, t] = exp(logits[b, i, t]) / sum_t exp(logits[b, i, t]): of token t after position i",
                     shape, axes);
  shares.ops = {ops::Softmax{rows(stream), tokens}};
  shares.inputs = {logits};
  add(std::move(shares));
}

}  // namespace headlight::models
