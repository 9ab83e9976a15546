// How a layer's heads are made alike and made one, where they are not three projections side by side: keys and values that are
// another projection's rows, and the 2-D stack in place of concatenation and W_O.
#include <cmath>
#include <string>
#include <utility>

#include "engine/models/blocks.h"
#include "engine/models/formula_numbers.h"
#include "engine/operations/linear.h"
#include "engine/operations/split_heads.h"

namespace headlight::models {

namespace ops = operations;

int PlanBuilder::same_rows(const std::string& prefix, const char* which, const AttentionPart& part, const Stream& stream,
                           const char* as, int from) {
  const std::string w = which;
  const std::int64_t heads = plan.nodes[static_cast<std::size_t>(from)].step.shape[1];
  const std::string also = w == "k" ? "query and key" : "key and value";
  return add(view(prefix + w, w == "k" ? Role::k : Role::v, w + " = " + as + ": one projection is both " + also, from,
                  {sizes_.batch, heads, stream.length, part.d_k}, {"batch", "head", "position", "d_k"}));
}

// The heads [B, h, N, d] turned to [B, N, d, h], so that both products run over the last axis, as they are written.
int PlanBuilder::stacked(const std::string& prefix, const AttentionPart& part, const Stream& queries, int context, Node output) {
  const std::int64_t n = queries.length, h = part.heads, d = part.d_k, hidden = part.stack_hidden;
  const std::int64_t all = sizes_.batch * n * d;
  Node stack = node(prefix + "heads_stacked", Role::heads_stacked, "stack heads",
                    "heads_stacked[b, i, c, h] = context[b, h, i, c]: the heads, each of full width " + number(d) +
                        ", stacked on a new last axis",
                    {sizes_.batch, n, d, h}, {"batch", "position", "d_k", "head"});
  // A turned matrix is one whose columns are heads of width 1.
  stack.ops = {ops::SplitHeads{sizes_.batch, h, n * d, 1}};
  stack.inputs = {context};
  stack.order = {0, 2, 3, 1};
  stack.step.computed_by = Computation::rearranged;
  const int turned = add(std::move(stack));

  Node mixed = node(prefix + "stack_hidden", Role::stack_hidden, "project, tanh",
                    "tanh(heads_stacked W_H), W_H [" + number(h) + ", " + number(hidden) + "]: the same for every dimension",
                    {sizes_.batch, n, d, hidden}, {"batch", "position", "d_k", "hidden"});
  mixed.ops = {ops::Linear{all, h, hidden, false, ops::ActivationKind::tanh}};
  mixed.inputs = {turned};
  mixed.parameters = {parameter(prefix + "wh", {h, hidden}, {"head", "hidden"}, ParameterSpec::Fill::normal,
                                1 / std::sqrt(static_cast<double>(h)))};
  mixed.step.activation = "tanh";
  const int through = add(std::move(mixed));

  output.step.operation = "project, tanh";
  output.step.formula =
      "tanh(stack_hidden W_O), W_O [" + number(hidden) + ", 1]: n_output = 1, so a token has " + number(d) + " numbers again";
  output.step.activation = "tanh";
  output.ops = {ops::Linear{all, hidden, 1, false, ops::ActivationKind::tanh}};
  output.inputs = {through};
  output.parameters = {parameter(prefix + "wo", {hidden, 1}, {"hidden", "output"}, ParameterSpec::Fill::normal,
                                 1 / std::sqrt(static_cast<double>(hidden)))};
  return add(std::move(output));
}

}  // namespace headlight::models
