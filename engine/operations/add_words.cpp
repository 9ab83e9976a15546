// The sum of two steps: input, attention_residual, mlp_residual, and the two parts of a context with relative positions.
#include "engine/insight/operation_words.h"

namespace headlight::explaining {
namespace {

Result<Answer> write_sum_of_steps(const Question& ask) {
  const std::string *a = ask.input(0), *b = ask.input(1);
  const std::string* const vector = b ? nullptr : ask.input(0, true);  // of a token type: the same for every token
  if (vector) b = vector;
  if (!a || !b) return invalid("this step names no two inputs to add").at(ask.at.step);
  Answer answer;
  ExplainSection sum{"with its numbers", {}};
  Total total;
  std::vector<ExplainSpan> symbols{name(own_name(ask.at.step)), sign(" = ")};
  for (const std::string* input : {a, b}) {
    const Step* step = ask.trace.find(*input);
    if (!step && input != vector) return not_found("there is no step '{}'", *input).at(ask.at.step);
    // A step without a batch axis (positions) is the same for every sentence.
    const ValueAddress at{*input, input == vector           ? std::vector<std::int64_t>{ask.index(2)}
                                  : step->shape.size() == 2 ? std::vector<std::int64_t>{ask.index(1), ask.index(2)}
                                                            : ask.at.index};
    HL_ASSIGN(const double value, read(ask.trace, at));
    write_summand(sum, total, own_name(*input), value, at);
    if (symbols.size() > 2) symbols.push_back(sign(" + "));
    symbols.push_back(name(own_name(*input)));
  }
  sum.lines.push_back(formula({sign("= "), number(total.value)}));
  answer.computed = total.value;
  answer.tolerance = ask.unit * 2 * total.sizes;
  answer.sections = {
      {"formula",
       {formula(std::move(symbols)), ask.step.role == Role::input ? say(Tone::quiet, "what the token is, plus where it stands")
                                     : vector ? say(Tone::quiet, "the row of the first sentence's tokens is added to each")
                                     : ask.step.shape.size() == 4
                                         ? say(Tone::quiet, "the weighted values, plus the weighted rows of their distances")
                                         : say(Tone::quiet, "the residual stream: what was there, plus what this part adds")}},
      std::move(sum)};
  return answer;
}

}  // namespace

const OperationWords add_words{write_sum_of_steps};

}  // namespace headlight::explaining
