// The steps that an intervention puts in place of the model's own: those of Ablate and of ReplacePattern.
#include <algorithm>
#include <cmath>

#include "engine/attention/masks/combined.h"
#include "engine/insight/operation_words.h"

namespace headlight::explaining {
namespace {

using InterventionKind = Intervention::Kind;

Result<const std::string*> own_of(const Question& ask) {
  if (const std::string* own = ask.input(0)) return own;
  return invalid("this step is made from none").at(ask.at.step);
}

ExplainSection said(const Question& ask) {
  return {"formula",
          {formula({name(ask.step.formula)}), say(Tone::quiet, "an intervention: not what the model computes itself")}};
}

ExplainSection own_section(double own, const ValueAddress& from, double computed) {
  return {"with its numbers",
          {say(Tone::quiet, "the model's own: {}", {number(own, from)}), formula({sign("= "), number(computed)})}};
}

// Rows of the question's sentence that are its own, not padding.
std::int64_t own_rows(const Question& ask) {
  const auto sentences = ask.step.of_targets ? ask.trace.targets() : ask.trace.texts();
  const auto at = static_cast<std::size_t>(ask.index(0));
  return at < sentences.size() ? static_cast<std::int64_t>(sentences[at].tokens.size()) : 0;
}

Result<Answer> write_ablated(const Question& ask) {
  HL_ASSIGN(const std::string* const step, own_of(ask));
  const bool of_heads = ask.step.shape.size() == 4;
  const int rows = of_heads ? 2 : 1;
  double factor = 1;
  bool averaged = false;
  for (const Intervention& one : ask.trace.document().interventions) {
    const bool heads = one.at.part == ModelAddress::Part::head || one.kind == InterventionKind::scale;
    const bool here = of_heads                            ? heads && one.at.covers_head(ask.prefix, ask.index(1))
                      : ask.step.role == Role::mlp_output ? one.at.covers_feed_forward(ask.prefix)
                                                          : one.at.covers_attention(ask.prefix);
    if (changes_pattern(one) || heads != of_heads || !here) continue;
    if (one.kind == InterventionKind::zero) factor = 0;
    if (one.kind == InterventionKind::scale) factor *= one.factor;
    averaged |= one.kind == InterventionKind::mean;
  }
  const ValueAddress from{*step, ask.at.index};
  HL_ASSIGN(const double own, read(ask.trace, from));
  Answer answer;
  double value = own, size = std::abs(own);
  if (averaged && factor != 0) {
    HL_ASSIGN(std::vector<double> all, read_along(ask.trace, from, rows));
    all.resize(std::min(all.size(), static_cast<std::size_t>(own_rows(ask))));
    value = size = 0;
    for (const double one : all) {
      value += one / static_cast<double>(all.size());
      size += std::abs(one) / static_cast<double>(all.size());
    }
  }
  answer.computed = factor == 0 ? 0 : factor * value;
  answer.tolerance = ask.unit * 4 * std::abs(factor) * size;
  answer.sections = {said(ask), own_section(own, from, answer.computed)};
  return answer;
}

Result<Answer> write_replaced_pattern(const Question& ask) {
  HL_ASSIGN(const std::string* const step, own_of(ask));
  if (!ask.site) return invalid("this step belongs to no attention of the trace").at(ask.at.step);
  const ValueAddress first{*step, {ask.index(0), ask.index(1), ask.index(2), 0}};
  HL_ASSIGN(std::vector<double> row, read_along(ask.trace, first, 3));
  const auto key = static_cast<std::size_t>(ask.index(3));
  const double own = row[key];
  bool uniform = false, given = false, masked = false;
  std::vector<std::size_t> removed;
  for (const Intervention& one : ask.trace.document().interventions) {
    if (!changes_pattern(one) || !one.at.covers_head(ask.prefix, ask.index(1))) continue;
    uniform |= one.kind == InterventionKind::uniform;
    given |= one.kind == InterventionKind::pattern;
    for (const Intervention::Cell& cell : one.cells)
      if (cell.query == ask.index(2) && cell.key < static_cast<std::int64_t>(row.size()))
        removed.push_back(static_cast<std::size_t>(cell.key));
    masked |= !removed.empty();
  }
  Answer answer;
  answer.sections = {said(ask), own_section(own, {*step, ask.at.index}, ask.value)};
  if (given) {  // it comes from another sentence, which is no part of this trace
    answer.check = ValueCheck::none;
    return answer;
  }
  if (uniform) {
    double allowed = 0;
    std::vector<double> equal(row.size(), 0.0);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const bool may = masks::allows(ask.site->mask.mask, ask.index(0), ask.index(1), ask.index(2), static_cast<std::int64_t>(j));
      equal[j] = may ? 1 : 0;
      allowed += equal[j];
    }
    for (double& one : equal) one /= allowed > 0 ? allowed : 1;
    if (allowed > 0) row = std::move(equal);
  }
  for (const std::size_t j : removed) row[j] = 0;
  double sum = 0;
  for (const double one : row) sum += one;
  answer.computed = masked && sum > 0 ? row[key] / sum : row[key];
  answer.tolerance = ask.unit * 4 * static_cast<double>(row.size() + 4) * std::max(answer.computed, 1e-7);
  answer.sections.back() = own_section(own, {*step, ask.at.index}, answer.computed);
  return answer;
}

}  // namespace

const OperationWords ablate_words{write_ablated};
const OperationWords replace_pattern_words{write_replaced_pattern};

}  // namespace headlight::explaining
