// A step times one factor.
#include <cmath>

#include "engine/insight/operation_words.h"
#include "engine/operations/scale.h"

namespace headlight::explaining {
namespace {

// One number of the input at the same place, and what becomes of it.
Result<Answer> write_bent(const Question& ask, double x, const ValueAddress& at, double result, const std::string& rule,
                          std::vector<ExplainSpan> numbers) {
  Answer answer;
  answer.computed = result;
  answer.tolerance = 8 * ask.unit * (std::abs(x) + std::abs(result));
  numbers.insert(numbers.begin(), number(x, at));
  numbers.push_back(sign(" = "));
  numbers.push_back(number(result));
  answer.sections = {{"formula", {formula({sign(rule)})}}, {"with its numbers", {formula(std::move(numbers))}}};
  return answer;
}

Result<Answer> write_scale(const Question& ask) {
  const operations::Operation* const own = ask.trace.operation(ask.at.step);
  const auto* const scale = own ? own->get_if<operations::Scale>() : nullptr;
  if (!ask.input(0) || !scale) return write_formula(ask);
  const ValueAddress from{*ask.input(0), ask.at.index};
  HL_ASSIGN(const double x, read(ask.trace, from));
  return write_bent(ask, x, from, x * scale->factor, own_name(from.step) + " · factor",
                    {sign(" · ", " \\cdot "), number(scale->factor)});
}

}  // namespace

const OperationWords scale_words{write_scale};

}  // namespace headlight::explaining
