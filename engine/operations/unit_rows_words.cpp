// q and k divided by their length.
#include <cmath>

#include "engine/insight/operation_words.h"

namespace headlight::explaining {
namespace {

Result<Answer> write_unit_rows(const Question& ask) {
  const std::string* from = ask.input(0);
  if (!from || ask.step.shape.size() != 4) return invalid("this step names no input").at(ask.at.step);
  const ValueAddress own{*from, ask.at.index};
  ValueAddress first = own;
  first.index[3] = 0;
  HL_ASSIGN(const std::vector<double> row, read_along(ask.trace, first, 3));
  double square = 0;
  for (const double x : row) square += x * x;
  const double length = std::sqrt(square), value = row[static_cast<std::size_t>(ask.index(3))];
  Answer answer;
  answer.computed = length > 0 ? value / length : 0;
  answer.tolerance = ask.unit * static_cast<double>(row.size() + 4);
  const std::string n = own_name(*from);
  ExplainLine bars;
  bars.kind = ExplainLine::Kind::bars;
  bars.values = row;
  bars.axis = "d";
  bars.first = first;
  bars.running = 3;
  answer.sections = {{"formula", {formula({sign(n + " / |" + n + "|", n + " / |" + n + "|")})}},
                     {"with its numbers",
                      {std::move(bars),
                       formula({sign("|" + n + "| = √(Σ_d " + n + "[d]²) = ", "|" + n + "| = \\sqrt{\\sum_d " + n + "_d^2} = "),
                                number(length)}),
                       formula({number(value, own), sign(" ÷ ", " / "), number(length), sign(" = "), number(answer.computed)})}}};
  return answer;
}

}  // namespace

const OperationWords unit_rows_words{
    write_unit_rows,
    "Each row is divided by its length. The score is then the cosine of the angle between query and key, from -1 to 1."};

}  // namespace headlight::explaining
