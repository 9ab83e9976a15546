// q and k turned by their position.
#include <cmath>
#include <cstdio>

#include "engine/attention/positions/position_entries.h"
#include "engine/insight/operation_words.h"
#include "engine/operations/rotary.h"

namespace headlight::explaining {
namespace {

Result<Answer> write_rotary(const Question& ask) {
  const std::string* from = ask.input(0);
  if (!from || ask.step.shape.size() != 4) return invalid("this step names no input").at(ask.at.step);
  operations::Rotary op{1, 1, ask.step.shape[3], 10000, ask.trace.document().position == positions::kRotarySplit};
  if (const operations::Operation* const own = ask.trace.operation(ask.at.step))
    if (const auto* const turns = own->get_if<operations::Rotary>()) op = *turns;
  if (ask.index(3) >= 2 * op.pairs()) return write_same(ask);  // beyond the dimensions that turn
  const std::int64_t position = ask.index(2), d = ask.index(3), half = op.pairs(), pair = op.halves ? d % half : d / 2;
  const double angle = operations::angle_of(op, position, pair);
  ValueAddress a{*from, ask.at.index}, b = a;
  a.index[3] = op.halves ? pair : 2 * pair;
  b.index[3] = op.halves ? pair + half : 2 * pair + 1;
  HL_ASSIGN(const double x, read(ask.trace, a));
  HL_ASSIGN(const double y, read(ask.trace, b));
  const bool is_first = op.halves ? d < half : d % 2 == 0;
  const double cosine = op.magnitude * std::cos(angle), sine = op.magnitude * std::sin(angle);
  Answer answer;
  answer.computed = is_first ? x * cosine - y * sine : x * sine + y * cosine;
  answer.tolerance = 4 * ask.unit * (std::abs(x) + std::abs(y));
  const std::string n = own_name(*from);
  const std::string first = op.halves ? "p" : "2p", second = op.halves ? "p+" + std::to_string(half) : "2p+1";
  const auto turned = [&](const char* u, const char* sum, const char* v) {
    return sign(n + "[" + first + "] " + u + " θ " + sum + " " + n + "[" + second + "] " + v + " θ",
                n + "_{" + first + "}\\" + u + "\\theta " + sum + " " + n + "_{" + second + "}\\" + v + "\\theta");
  };
  const ExplainSpan rule = is_first ? turned("cos", "-", "sin") : turned("sin", "+", "cos");
  const std::vector<ExplainSpan> numbers =
      is_first ? std::vector<ExplainSpan>{factor(x, a),           sign(" · ", " \\cdot "), factor(cosine), sign(" - "),
                                          factor(y, b),           sign(" · ", " \\cdot "), factor(sine),   sign(" = "),
                                          number(answer.computed)}
               : std::vector<ExplainSpan>{factor(x, a),           sign(" · ", " \\cdot "), factor(sine),   sign(" + "),
                                          factor(y, b),           sign(" · ", " \\cdot "), factor(cosine), sign(" = "),
                                          number(answer.computed)};
  answer.sections = {
      {"formula",
       {formula({rule}), say(Tone::quiet, "pair {} at position {} turns by {}", {whole(pair), whole(position), number(angle)})}},
      {"with its numbers", {}}};
  // The angle: from the base, and from what a published model makes of it for longer texts.
  const auto rope = ask.site ? rope_of(ask.trace, ask.site->layer) : std::nullopt;
  const double base = rope ? rope->base : op.base, width = rope ? rope->width : 2 * static_cast<double>(half);
  const double own = operations::angle_of(op, 1, pair) - operations::angle_of(op, 0, pair);
  const double plain = std::pow(base, -2 * static_cast<double>(pair) / width);
  const std::string power = std::to_string(2 * pair) + "/" + std::to_string(static_cast<std::int64_t>(width));
  char written[32];
  std::snprintf(written, sizeof written, "%.10g", base);
  std::vector<ExplainLine>& lines = answer.sections[1].lines;
  lines.push_back(formula(
      {sign("f = " + std::string(written) + "^(-" + power + ") = ", "f = " + std::string(written) + "^{-" + power + "} = "),
       number(plain)}));
  if (rope && std::abs(own - plain) > 1e-9 * plain)
    lines.push_back(say(Tone::quiet, "the model's scaling for long texts, {}, makes it {}", {name(rope->scaling), number(own)}));
  lines.push_back(formula({sign("θ = position · f = ", "\\theta = \\text{position} \\cdot f = "), whole(position),
                           sign(" · ", " \\cdot "), number(own), sign(" = "), number(angle)}));
  lines.push_back(formula(numbers));
  if (op.magnitude != 1)
    answer.sections[0].lines.push_back(say(Tone::quiet, "cosine and sine are multiplied by {}", {number(op.magnitude)}));
  return answer;
}

}  // namespace

const OperationWords rotary_words{write_rotary,
                                  "Each pair of numbers is turned, the more the later the token stands: the score of a query and "
                                  "a key then depends on how far apart they are."};

}  // namespace headlight::explaining
