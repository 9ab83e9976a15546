// Rows of a location-based score's table as k, the same for every sentence.
#include "engine/insight/operation_words.h"

namespace headlight::explaining {
namespace {

Result<Answer> write_repeated(const Question& ask) {
  const std::string* const from = ask.input(0);
  if (!from || ask.step.shape.size() != 4) return invalid("this step names no input").at(ask.at.step);
  const std::int64_t column = ask.index(1) * ask.step.shape[3] + ask.index(3);
  const ValueAddress cell{*from, {ask.index(2), column}};
  Answer answer;
  HL_ASSIGN(answer.computed, read(ask.trace, cell));
  answer.sections = {
      {"formula", {formula({name(ask.step.formula)})}},
      {"with its numbers",
       {formula({name(own_name(*from)), sign("[" + std::to_string(ask.index(2)) + ", " + std::to_string(column) + "] = "),
                 number(answer.computed, cell)})}}};
  return answer;
}

}  // namespace

const OperationWords repeat_rows_words{write_repeated};

}  // namespace headlight::explaining
