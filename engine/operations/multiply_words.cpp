// Two steps multiplied number by number, mostly a gate and what it lets through.
#include <string>

#include "engine/insight/operation_words.h"

namespace headlight::explaining {
namespace {

// What the gate of a feed-forward part is called by its activation (Shazeer 2020).
const char* gate_words(const Question& ask) {
  const Step* const gate = ask.input(0) ? ask.trace.find(*ask.input(0)) : nullptr;
  const std::string activation = gate ? gate->activation : std::string();
  if (activation == "silu") return "SwiGLU: the gate is SiLU of its own product; where it is near 0 it lets nothing through";
  if (activation.starts_with("gelu"))
    return "GeGLU: the gate is GELU of its own product; where it is near 0 it lets nothing through";
  return "a gate and what it lets through: where the gate is near 0, nothing is left";
}

Result<Answer> write_product_of_steps(const Question& ask) {
  const std::string *a = ask.input(0), *b = ask.input(1);
  if (!a || !b) return invalid("this step names no two inputs").at(ask.at.step);
  const ValueAddress first{*a, ask.at.index}, second{*b, ask.at.index};
  HL_ASSIGN(const double x, read(ask.trace, first));
  HL_ASSIGN(const double y, read(ask.trace, second));
  Answer answer;
  answer.computed = x * y;
  answer.tolerance = 2 * ask.unit * std::abs(answer.computed);
  answer.sections = {
      {"formula",
       {formula({name(own_name(*a)), sign(" · ", " \\cdot "), name(own_name(*b)),
                 sign(", number by number", ",\\ \\text{number by number}")}),
        say(Tone::quiet, ask.step.role == Role::mlp_hidden ? gate_words(ask) : "each number of one times that of the other")}},
      {"with its numbers",
       {formula({factor(x, first), sign(" · ", " \\cdot "), factor(y, second), sign(" = "), number(answer.computed)})}}};
  return answer;
}

}  // namespace

const OperationWords multiply_words{
    write_product_of_steps,
    "Number by number, what came through the second matrix times its gate: where the gate is shut, 0 is left."};

}  // namespace headlight::explaining
