// How badly the logits predict the text: the rows of all sentences against labels, as a worked Transformer does it.
#include <algorithm>
#include <string>
#include <utility>

#include "engine/models/blocks.h"
#include "engine/models/formula_numbers.h"
#include "engine/operations/cross_entropy.h"
#include "engine/operations/gather.h"
#include "engine/operations/mean_loss.h"

namespace headlight::models {

namespace ops = operations;

Node PlanBuilder::aside(std::string name, Role role, Node::Aside which, bool of_targets, std::string formula, Shape shape,
                        Axes axes) const {
  Node n = node(std::move(name), role, "make", std::move(formula), std::move(shape), std::move(axes));
  n.source = Node::Source::aside;
  n.aside = which;
  n.of_targets = of_targets;
  n.step.computed_by = Computation::aside;
  n.step.origin = Origin::computed;
  return n;
}

void PlanBuilder::loss(const std::string& name, Role role, int rows, int labels) {
  const Shape shape = plan.nodes[static_cast<std::size_t>(rows)].step.shape;
  Node by_row = node(name + "_by_row", Role::loss_part, "cross-entropy",
                     "log sum over t of exp(" + name_of(rows) + "[r, t]) - " + name_of(rows) + "[r, " + name_of(labels) +
                         "[r]], in nats; 0 where the label is -1",
                     {shape[0]}, {"row"});
  by_row.ops = {ops::CrossEntropy{shape[0], shape[1]}};
  by_row.inputs = {rows, labels};
  const int losses = add(std::move(by_row));
  Node mean = node(name, role, "mean", "mean of " + name_of(losses) + " over the rows whose label is not -1", {1}, {"loss"});
  mean.ops = {ops::MeanLoss{shape[0], shape[1]}};
  mean.inputs = {losses, labels};
  add(std::move(mean));
}

void PlanBuilder::losses(const Stream& stream, std::int64_t classes) {
  const auto of_role =
      std::find_if(plan.nodes.begin(), plan.nodes.end(), [](const Node& n) { return n.step.role == Role::logits; });
  const int logits = static_cast<int>(of_role - plan.nodes.begin());
  const std::int64_t b = sizes_.batch, n = stream.length;
  const std::string what = stream.of_targets ? "decoder.tokens" : "tokens";
  const auto labels = [&](std::string name, Node::Aside which, std::string formula, std::int64_t count) {
    Node made = aside(std::move(name), Role::loss_part, which, stream.of_targets, std::move(formula), {count}, {"row"});
    made.step.dtype = DType::i32;
    return add(std::move(made));
  };
  Node all =
      view("logits_rows", Role::loss_part, "logits as " + to_string({b * n, classes}) + ": a row for each place of each sentence",
           logits, {b * n, classes}, {"row", "token"});
  const int rows = add(std::move(all));
  const int here = labels("labels", Node::Aside::labels,
                          what + " as " + to_string(Shape{b * n}) + ", -1 where a sentence is filled up: no label", b * n);
  loss("loss", Role::loss, rows, here);
  if (n < 2) return;
  // A place is to predict the token behind it: input tokens[:, :-1], labels tokens[:, 1:].
  const std::int64_t fewer = b * (n - 1);
  const int places = labels("rows_but_last", Node::Aside::all_but_last,
                            "numbers of the rows that have a next place: all but the last of each sentence", fewer);
  Node shifted =
      node("logits_shifted", Role::loss_part, "look up rows",
           "logits_rows[rows_but_last]: logits[:, :-1] as " + to_string({fewer, classes}), {fewer, classes}, {"row", "token"});
  shifted.ops = {ops::Gather{fewer, b * n, classes}};
  shifted.inputs = {rows, places};
  // An embedding's explanation is not this one's.
  shifted.step.computed_by = Computation::rows;
  const int before = add(std::move(shifted));
  const int next = labels("labels_shifted", Node::Aside::next_labels, what + "[:, 1:] as " + to_string(Shape{fewer}), fewer);
  loss("loss_shifted", Role::loss_shifted, before, next);
}

}  // namespace headlight::models
