// Steps that no operation computes: other shapes and orders of axes, masks, biases; and steps that have no words of their own.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "engine/insight/explain_parts.h"

namespace headlight::explaining {

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

Result<Answer> write_mask(const Question& ask) {
  HL_TRY(needs_site(ask));
  Answer answer;
  answer.computed = 1;
  ExplainSection parts{"its parts", {}};
  for (const masks::Part& part : ask.site->mask.parts) {
    const auto says = mask_says(part, ask.site->mask, ask.index(0), ask.index(1), ask.index(2), ask.index(3));
    if (!says.allows) answer.computed = 0;
    parts.lines.push_back(mask_line(says));
    const masks::Entry* entry = masks::registry().find(part.choice.id);
    if (entry) parts.lines.push_back(say(Tone::quiet, entry->formula.c_str()));
    parts.lines.push_back(say(Tone::quiet, "made as {}, then broadcast", {name(to_string(part.mask.shape()))}));
  }
  if (parts.lines.empty()) parts.lines.push_back(say(Tone::quiet, "no mask: every query sees every key"));
  parts.lines.push_back(answer.computed != 0 ? say(Tone::good, "together 1: the query may attend to the key")
                                             : say(Tone::wrong, "together 0: the query may not attend to the key"));
  answer.sections = {{"formula",
                      {formula({sign("mask[i, j] = 1 if every part allows, else 0",
                                     "\\text{mask}_{i,j} = 1 \\text{ if every part allows, else } 0")}),
                       whose(ask)}},
                     std::move(parts)};
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

Result<Answer> write_formula(const Question& ask) {
  Answer answer;
  answer.check = ValueCheck::none;
  ExplainSection rule{"formula", {formula({name(ask.step.formula)})}};
  for (const std::string& input : ask.step.inputs) rule.lines.push_back(say(Tone::quiet, "from {}", {name(input)}));
  answer.sections = {std::move(rule), {"with its numbers", {formula({sign("= "), number(ask.value)})}}};
  return answer;
}

}  // namespace headlight::explaining
