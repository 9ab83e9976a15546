#include "engine/operations/gradient.h"

#include "engine/operations/define.h"
#include "engine/operations/operations.h"

namespace headlight::operations {
namespace {

std::vector<bool> wanted_of(const Gradient& op) { return op.wanted.empty() ? inputs_with_gradient(op.of) : op.wanted; }

struct GradientFunctions {
  static Status describe(const Gradient& op, DType real, Signature& s);
  template <class Real>
  static Status compute(const Gradient& op, In in, Out out, const CancelToken& cancel);
  static void add_to(const Gradient& op, Fingerprint& key) {
    operations::add_to(key, op.of);
    for (const bool one : wanted_of(op)) key.add(static_cast<std::uint64_t>(one));
  }
  // A product's gradient is two products, and so for the rest: twice the work, counted so by convention (Kaplan et al.
  // 2020, 2.1).
  static double flops(const Gradient& op, bool ready) { return 2 * op.of.kind().flops(op.of.descriptor(), ready); }
  static std::vector<Operation> examples();
};

Status GradientFunctions::describe(const Gradient& op, DType real, Signature& s) {
  if (!has_gradient(op.of)) return invalid("there is no gradient of this operation").at(op.of.id());
  HL_ASSIGN(const Signature of, signature(op.of, real));
  const std::vector<bool> possible = inputs_with_gradient(op.of), wanted = wanted_of(op);
  if (wanted.size() != of.inputs.size())
    return invalid("{} answers to which gradients are wanted", wanted.size())
        .at(op.of.id())
        .mend("give one for each of the {} inputs", of.inputs.size());
  s = of;
  s.outputs.clear();
  s.output_axes.clear();
  for (std::size_t i = 0; i < of.outputs.size(); ++i) s.input(real, of.outputs[i]);
  s.input(real, of.outputs[0]);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (!wanted[i]) continue;
    if (!possible[i]) return invalid("input {} has no gradient", i).at(op.of.id());
    Axes axes;
    for (std::size_t axis = 0; axis < of.inputs[i].size(); ++axis) axes.push_back("axis " + std::to_string(axis));
    s.output(of.inputs[i], std::move(axes));
  }
  if (s.outputs.empty()) return invalid("no gradient is wanted").at(op.of.id());
  return {};
}

template <class Real>
Status GradientFunctions::compute(const Gradient& op, In in, Out out, const CancelToken& cancel) {
  if (cancel.cancelled()) return cancelled();
  const std::vector<bool> wanted = wanted_of(op);
  const std::size_t inputs = wanted.size();
  GradientArrays<Real> arrays;
  arrays.in = in.first(inputs);
  arrays.out = in.subspan(inputs, in.size() - inputs - 1);
  arrays.dy = real<Real>(in.back());
  std::size_t next = 0;
  for (const bool one : wanted) arrays.d.push_back(one ? real<Real>(out[next++]) : nullptr);
  const Kind& kind = op.of.kind();
  if constexpr (std::is_same_v<Real, double>)
    return kind.gradient_f64(op.of.descriptor(), arrays, cancel);
  else
    return kind.gradient_f32(op.of.descriptor(), arrays, cancel);
}

// Of every operation that has a gradient, of each of its own examples.
std::vector<Operation> GradientFunctions::examples() {
  std::vector<Operation> all;
  for (const Kind* kind : kinds())
    if (kind->gradient_f64)
      for (const Operation& example : kind->examples()) all.push_back(Gradient{example, {}});
  return all;
}

}  // namespace

bool has_gradient(const Operation& operation) { return operation.kind().gradient_f64 != nullptr; }

std::vector<bool> inputs_with_gradient(const Operation& operation) {
  std::vector<bool> all;
  const auto s = signature(operation, DType::f32);
  if (!s) return all;
  for (std::size_t i = 0; i < s->inputs.size(); ++i) all.push_back(s->input_types[i] == DType::f32 && !s->broadcasts[i]);
  return all;
}

template <>
const Kind& kind_of<Gradient>() {
  static const Kind kind =
      make_kind<Gradient, GradientFunctions>("gradient", "gradient", "dx = (dy / dx)^T dy, input by input",
                                             "the chain rule, in reverse (Rumelhart, Hinton and Williams 1986)");
  return kind;
}

}  // namespace headlight::operations
