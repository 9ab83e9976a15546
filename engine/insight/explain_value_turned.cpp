// Steps between the projections and the scores, gates, and steps that have no words of their own.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "engine/attention/positions/position_entries.h"
#include "engine/insight/explain_parts.h"
#include "engine/operations/rotary.h"
#include "engine/operations/scale.h"

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

}  // namespace

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

}  // namespace

Result<Answer> write_scale(const Question& ask) {
  const operations::Operation* const own = ask.trace.operation(ask.at.step);
  const auto* const scale = own ? own->get_if<operations::Scale>() : nullptr;
  if (!ask.input(0) || !scale) return write_formula(ask);
  const ValueAddress from{*ask.input(0), ask.at.index};
  HL_ASSIGN(const double x, read(ask.trace, from));
  return write_bent(ask, x, from, x * scale->factor, own_name(from.step) + " · factor",
                    {sign(" · ", " \\cdot "), number(scale->factor)});
}

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

Result<Answer> write_rearranged(const Question& ask) {
  const std::string* from = ask.input(0);
  const Step* source = from ? ask.trace.find(*from) : nullptr;
  if (!source) return invalid("this step names no input").at(ask.at.step);
  ValueAddress at{*from, {}};
  if (source->shape.size() == 3 && ask.step.shape.size() == 4) {  // a row of the source is cut into heads
    at.index = {ask.index(0), ask.index(1), ask.index(2) * ask.step.shape[3] + ask.index(3)};
  } else {
    for (const std::string& axis : source->axes) {
      const auto same = std::find(ask.step.axes.begin(), ask.step.axes.end(), axis);
      if (same == ask.step.axes.end()) return write_formula(ask);
      at.index.push_back(ask.index(static_cast<int>(same - ask.step.axes.begin())));
    }
  }
  Answer answer;
  HL_ASSIGN(answer.computed, read(ask.trace, at));
  const auto place = [](const std::vector<std::int64_t>& index) { return to_string(Shape(index.begin(), index.end())); };
  answer.sections = {{"formula",
                      {formula({name(ask.step.formula)}), formula({name(ask.leaf), sign(place(ask.at.index) + " = "),
                                                                   name(own_name(*from)), sign(place(at.index))})}},
                     {"with its numbers", {formula({sign("= "), number(answer.computed, at)})}}};
  return answer;
}

Result<Answer> write_mask_part(const Question& ask) {
  if (ask.input(0)) {  // in its own shape: the axes of size 1 are left out
    ValueAddress at{*ask.input(0), {}};
    const Step* source = ask.trace.find(at.step);
    if (!source) return invalid("this step names no input").at(ask.at.step);
    for (const std::string& axis : source->axes)
      for (std::size_t i = 0; i < ask.step.axes.size(); ++i)
        if (ask.step.axes[i] == axis) at.index.push_back(ask.at.index[i]);
    Answer answer;
    HL_ASSIGN(answer.computed, read(ask.trace, at));
    answer.sections = {{"formula", {formula({name(ask.step.formula)})}},
                       {"with its numbers", {formula({name(own_name(at.step)), sign(" = "), number(answer.computed, at)})}}};
    return answer;
  }
  HL_ASSIGN(Answer answer, write_formula(ask));
  answer.sections.back().lines.push_back(ask.value != 0 ? say(Tone::good, "this mask is 1: it lets the query see the key")
                                                        : say(Tone::wrong, "this mask is 0: it keeps the query from the key"));
  return answer;
}

Result<Answer> write_position_bias(const Question& ask) {
  if (ask.trace.document().position != "alibi") return write_formula(ask);
  const auto heads = static_cast<double>(ask.step.shape[1]);
  const std::int64_t distance = std::abs(ask.index(2) - ask.index(3));
  const double slope = std::pow(2.0, -8.0 * static_cast<double>(ask.index(1) + 1) / heads);
  Answer answer;
  answer.computed = -slope * static_cast<double>(distance);
  answer.tolerance = 2 * ask.unit * std::abs(answer.computed);
  const std::string power = "-8 · " + std::to_string(ask.index(1) + 1) + " / " + std::to_string(ask.step.shape[1]);
  answer.sections = {
      {"formula", {formula({sign("bias = -m |i - j|", "\\text{bias} = -m\\,|i - j|")})}},
      {"with its numbers",
       {formula({sign("m = 2^(" + power + ") = ", "m = 2^{" + power + "} = "), number(slope)}),
        formula({sign("= -"), factor(slope), sign(" · ", " \\cdot "), whole(distance), sign(" = "), number(answer.computed)})}}};
  return answer;
}

Result<Answer> write_score_places(const Question& ask) {
  const std::string* const table = ask.input(0, true);
  if (!table) return invalid("this step names no table").at(ask.at.step);
  const ValueAddress cell{*table, ask.at.index};
  Answer answer;
  HL_ASSIGN(answer.computed, read(ask.trace, cell));
  answer.sections = {
      {"formula",
       {formula({sign("k_places[j, c] = W_score[j, c]", "\\text{k\\_places}_{j,c} = W_{\\mathrm{score}}[j,\\, c]")}),
        say(Tone::quiet, "the row depends on the place alone, not on the word")}},
      {"with its numbers",
       {formula({sign("W_score[" + std::to_string(ask.index(0)) + ", " + std::to_string(ask.index(1)) + "] = ",
                      "W_{\\mathrm{score}}[" + std::to_string(ask.index(0)) + ", " + std::to_string(ask.index(1)) + "] = "),
                 number(answer.computed, cell)})}}};
  return answer;
}

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

Result<Answer> write_formula(const Question& ask) {
  Answer answer;
  answer.check = ValueCheck::none;
  ExplainSection rule{"formula", {formula({name(ask.step.formula)})}};
  for (const std::string& input : ask.step.inputs) rule.lines.push_back(say(Tone::quiet, "from {}", {name(input)}));
  answer.sections = {std::move(rule), {"with its numbers", {formula({sign("= "), number(ask.value)})}}};
  return answer;
}

}  // namespace headlight::explaining
