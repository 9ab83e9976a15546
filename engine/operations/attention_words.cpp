// The stages of an attention: scores, scale, mask, softmax, weighted sum.
#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/insight/operation_words.h"

namespace headlight::explaining {
namespace {

std::vector<std::string> key_labels(const Question& ask) {
  std::vector<std::string> labels;
  labels.reserve(static_cast<std::size_t>(ask.site->keys));
  for (std::int64_t j = 0; j < ask.site->keys; ++j) labels.push_back(key_label(ask.trace, *ask.site, ask.index(0), j));
  return labels;
}

// The score as its function writes it.
ExplainSpan score_symbols(const scores::Entry& score) {
  if (score.additive)
    return sign("scores[h, i, j] = Σ_d v[d] tanh((q W)[h, i, d] + (k U)[h, j, d])",
                "\\text{scores}_{h,i,j} = \\sum_d v_d \\tanh\\bigl((q W)_{h,i,d} + (k U)_{h,j,d}\\bigr)");
  if (score.matrix)
    return sign("scores[h, i, j] = Σ_d (q W)[h, i, d] k[h, j, d]", "\\text{scores}_{h,i,j} = \\sum_d (q W)_{h,i,d}\\, k_{h,j,d}");
  if (score.located)
    return sign("scores[h, i, j] = Σ_d W[h, j, d] q[h, i, d]", "\\text{scores}_{h,i,j} = \\sum_d W_{h,j,d}\\, q_{h,i,d}");
  return sign("scores[h, i, j] = Σ_d q[h, i, d] k[h, j, d]", "\\text{scores}_{h,i,j} = \\sum_d q_{h,i,d}\\, k_{h,j,d}");
}

// Of an additive score: the largest term's tanh, from the two numbers that it adds.
ExplainLine largest_tanh(const Products& products, const Products& rows) {
  std::size_t most = 0;
  for (std::size_t d = 0; d < products.a.size(); ++d)
    if (std::abs(products.a[d] * products.b[d]) > std::abs(products.a[most] * products.b[most])) most = d;
  ValueAddress q = rows.first_a, k = rows.first_b;
  q.index[3] = k.index[3] = static_cast<std::int64_t>(most);
  return formula({sign("d " + std::to_string(most) + ": tanh(", "d = " + std::to_string(most) + ":\\ \\tanh("),
                  number(rows.a[most], q), sign(" + "), factor(rows.b[most], k), sign(") = "), number(products.b[most])});
}

Result<Answer> write_scores(const Question& ask) {
  HL_TRY(needs_site(ask));
  Products products;
  products.first_a = {ask.site->q, {ask.index(0), ask.index(1), ask.index(2), 0}};
  products.first_b = {ask.site->k, {ask.index(0), ask.index(1) / group_of(*ask.site), ask.index(3), 0}};
  products.axis_a = products.axis_b = 3;
  products.axis = "d";
  HL_ASSIGN(products.a, read_along(ask.trace, products.first_a, 3));
  HL_ASSIGN(products.b, read_along(ask.trace, products.first_b, 3));
  Answer answer;
  ExplainSection sum{"with its numbers", {}};
  double sizes = 0;  // of what an additive score puts through tanh, whose slope is at most 1
  std::optional<ExplainLine> inner;
  if (!ask.site->score_vector.empty()) {
    Products added;
    added.first_a = {ask.site->score_vector, {0}};
    added.axis_a = 0;
    added.axis = "d";
    HL_ASSIGN(added.a, read_along(ask.trace, added.first_a, 0));
    for (std::size_t d = 0; d < added.a.size(); ++d) {
      added.b.push_back(std::tanh(products.a[d] + products.b[d]));
      sizes += std::abs(added.a[d]) * (1 + std::abs(products.a[d]) + std::abs(products.b[d]));
    }
    inner = largest_tanh(added, products);
    products = std::move(added);
  }
  const Total total = write_products(sum, products);
  if (inner) sum.lines.push_back(std::move(*inner));
  sum.lines.push_back(formula({sign("= "), number(total.value)}));
  answer.computed = total.value;
  answer.tolerance = ask.unit * (static_cast<double>(products.a.size() + 2) * total.sizes + 4 * sizes);
  answer.sections = {{"formula", {formula({score_symbols(score_of(ask.trace.document()))}), whose(ask)}}, std::move(sum)};
  if (group_of(*ask.site) > 1) answer.sections[0].lines.push_back(shared_key_line(*ask.site, ask.index(1)));
  return answer;
}

Result<Answer> write_scaled(const Question& ask) {
  HL_TRY(needs_site(ask));
  const ValueAddress from{ask.trace.name_at(ask.prefix, Role::scores), ask.at.index};
  HL_ASSIGN(const double score, read(ask.trace, from));
  Answer answer;
  answer.computed = scaled_score(*ask.site, score);
  answer.tolerance = ask.unit * 12 * std::abs(score * ask.site->scale);
  std::vector<ExplainSpan> spans{number(score, from)};
  for (ExplainSpan& span : scale_spans(*ask.site)) spans.push_back(std::move(span));
  const bool capped = ask.site->score_cap > 0;
  for (ExplainSpan& span : cap_spans(*ask.site, score * ask.site->scale)) spans.push_back(std::move(span));
  spans.push_back(sign(" = "));
  spans.push_back(number(answer.computed));
  const std::string d = std::to_string(ask.site->d_k);
  const bool root = scale_spans(*ask.site).size() == 1;
  answer.sections = {{"formula",
                      {root ? formula({sign("scaled = scores / √d_k, d_k = " + d,
                                            "\\text{scaled} = \\text{scores} / \\sqrt{d_k},\\quad d_k = " + d)})
                            : formula({sign("scaled = scores × scale", "\\text{scaled} = \\text{scores} \\times \\text{scale}")}),
                       whose(ask)}},
                     {"with its numbers", {formula(std::move(spans))}}};
  if (capped) {
    answer.sections[0].lines.push_back(
        formula({sign("then c tanh(scaled / c), c = ", "\\text{then } c\\tanh(\\text{scaled}/c),\\quad c = "),
                 number(ask.site->score_cap)}));
    answer.sections[0].lines.push_back(say(Tone::quiet, "a soft cap: small scores stay as they are, and none leaves -{} to {}",
                                           {number(ask.site->score_cap), number(ask.site->score_cap)}));
  }
  if (root)
    answer.sections[0].lines.push_back(say(Tone::quiet,
                                           "a sum of {} products of variance 1 has variance {}: the root brings it back to 1",
                                           {whole(ask.site->d_k), whole(ask.site->d_k)}));
  return answer;
}

Result<Answer> write_masked(const Question& ask) {
  HL_TRY(needs_site(ask));
  const ValueAddress from{ask.trace.name_at(ask.prefix, Role::scaled_scores), ask.at.index};
  const Step* mask_step = ask.trace.step_at(ask.prefix, Role::mask);
  ValueAddress mask{mask_step ? mask_step->name : std::string(), ask.at.index};
  if (mask_step && mask_step->shape.size() == 4 && mask_step->shape[1] == 1) mask.index[1] = 0;
  double allowed = 1;
  if (mask_step) {
    HL_ASSIGN(allowed, read(ask.trace, mask));
  } else {
    for (const masks::Part& part : ask.site->mask.parts)
      if (!mask_says(part, ask.site->mask, ask.index(0), ask.index(1), ask.index(2), ask.index(3)).allows) allowed = 0;
  }
  HL_ASSIGN(const double scaled, read(ask.trace, from));
  const double fill = fill_of(ask.trace.document());
  const std::string kept = ask.site->bias.empty() ? "scaled" : "scaled + bias";
  const std::string fill_words = std::isinf(fill) ? "-∞" : "-1e9", fill_latex = std::isinf(fill) ? "-\\infty" : "-10^9";
  Answer answer;
  double bias = 0;
  const ValueAddress of_bias = bias_address(ask.trace, *ask.site, ask.index(0), ask.index(1), ask.index(2), ask.index(3));
  if (!ask.site->bias.empty()) {
    HL_ASSIGN(bias, read(ask.trace, of_bias));
  }
  answer.computed = allowed != 0 ? scaled + bias : fill;
  answer.tolerance = std::isinf(answer.computed) ? 0 : ask.unit * 3 * (std::abs(scaled) + std::abs(bias));
  ExplainSpan one_or_zero = whole(allowed != 0 ? 1 : 0);
  one_or_zero.at = mask;
  ExplainSection numbers{"with its numbers", {}};
  if (mask_step) numbers.lines.push_back(formula({sign("mask = ", "\\text{mask} = "), one_or_zero}));
  numbers.lines.push_back(formula({sign("scaled = ", "\\text{scaled} = "), number(scaled, from)}));
  if (!ask.site->bias.empty()) numbers.lines.push_back(formula({sign("bias = ", "\\text{bias} = "), number(bias, of_bias)}));
  numbers.lines.push_back(formula({sign("masked = ", "\\text{masked} = "), number(answer.computed)}));
  numbers.lines.push_back(allowed != 0 ? say(Tone::good, "the mask is 1: the score stays")
                                       : say(Tone::wrong, "the mask is 0: the score is replaced, not added to"));
  for (const masks::Part& part : ask.site->mask.parts)
    numbers.lines.push_back(mask_line(mask_says(part, ask.site->mask, ask.index(0), ask.index(1), ask.index(2), ask.index(3))));
  answer.sections = {{"formula",
                      {formula({sign("masked = " + kept + " if mask = 1, else " + fill_words,
                                     "\\text{masked} = \\text{" + kept + " if mask} = 1,\\text{ else } " + fill_latex)}),
                       whose(ask)}},
                     std::move(numbers)};
  return answer;
}

// Softmax of a row, as a formula; `t`: the temperature.
ExplainSection weights_formula(const Question& ask, double t) {
  return {"formula",
          {formula({t == 1 ? sign("weights[i, j] = e^masked[i, j] / Σ_j e^masked[i, j]",
                                  "\\text{weights}_{i,j} = e^{\\text{masked}_{i,j}} / \\sum_{j'} e^{\\text{masked}_{i,j'}}")
                           : sign("weights[i, j] = e^(masked[i, j] / T) / Σ_j e^(masked[i, j] / T)",
                                  "\\text{weights}_{i,j} = e^{\\text{masked}_{i,j} / T} / "
                                  "\\sum_{j'} e^{\\text{masked}_{i,j'} / T}")}),
           whose(ask)}};
}

Result<Answer> write_weights(const Question& ask) {
  HL_TRY(needs_site(ask));
  const ValueAddress first{ask.trace.name_at(ask.prefix, Role::masked_scores), {ask.index(0), ask.index(1), ask.index(2), 0}};
  HL_ASSIGN(const std::vector<double> masked, read_along(ask.trace, first, 3));
  HL_ASSIGN(const std::vector<double> weights,
            read_along(ask.trace, {ask.at.step, {ask.index(0), ask.index(1), ask.index(2), 0}}, 3));
  const double t = ask.trace.document().temperature, largest = *std::max_element(masked.begin(), masked.end());
  const auto key = static_cast<std::size_t>(ask.index(3));
  std::vector<double> terms(masked.size(), 0.0);
  double sum = 0, reach = 0;
  for (std::size_t j = 0; j < masked.size(); ++j) {
    if (!std::isinf(largest)) terms[j] = std::exp((masked[j] - largest) / t);
    if (std::isfinite(masked[j]) && masked[j] > -1e8) reach = std::max(reach, std::abs(masked[j] / t));
    sum += terms[j];
  }
  Answer answer;
  answer.computed = sum > 0 ? terms[key] / sum : 0.0;
  // The exponents have the rounding errors of scores of size `reach`, which are sums of d_k products; an exponential turns an
  // absolute error into a relative one.
  answer.tolerance = ask.unit * (answer.computed + 1e-7) * 4 * static_cast<double>(ask.site->d_k + 8) * (1 + reach);

  const auto at = [&](Role role, std::size_t j) {
    return ValueAddress{ask.trace.name_at(ask.prefix, role),
                        {ask.index(0), ask.index(1), ask.index(2), static_cast<std::int64_t>(j)}};
  };
  ExplainSection row{"softmax over the row", {}};
  if (t != 1) row.lines.push_back(say(Tone::quiet, "temperature T = {}", {number(t)}));
  if (sum == 0) {
    row.lines.push_back(say(Tone::wrong, "every key is masked: the row is defined as all zeros"));
  } else {
    row.lines.push_back(
        say(Tone::quiet, "the row's largest score, {}, is taken off first: no exponential overflows", {number(largest)}));
    std::vector<ExplainSpan> over{sign(t == 1 ? "e^(" : "e^((", t == 1 ? "\\exp\\bigl(" : "\\exp\\bigl(("),
                                  number(masked[key], at(Role::masked_scores, key)),
                                  sign(" - "),
                                  factor(largest),
                                  t == 1 ? sign(")", "\\bigr)") : sign(") / T)", ") / T\\bigr)"),
                                  sign(" = "),
                                  number(terms[key])};
    row.lines.push_back(formula(std::move(over)));
    row.lines.push_back(formula({sign("÷ ", "\\text{divided by }"), number(sum), sign(" = "), number(answer.computed)}));
  }
  std::vector<std::size_t> order(masked.size());
  for (std::size_t j = 0; j < order.size(); ++j) order[j] = j;
  const std::size_t written = std::min(order.size(), kTermsWritten);
  std::partial_sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(written), order.end(),
                    [&](std::size_t a, std::size_t b) {
                      if ((a == key) != (b == key)) return a == key;
                      return terms[a] != terms[b] ? terms[a] > terms[b] : a < b;
                    });
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(written));
  double rest = 0;
  for (std::size_t k = 0; k < order.size(); ++k) {
    const std::size_t j = order[k];
    if (k >= written) {
      rest += sum > 0 ? terms[j] / sum : 0.0;
      continue;
    }
    const std::string exponent = number_text(std::isinf(largest) ? masked[j] : (masked[j] - largest) / t);
    ExplainSpan power{"e^" + exponent, "e^{" + number_latex(std::isinf(largest) ? masked[j] : (masked[j] - largest) / t) + "}",
                      at(Role::masked_scores, j), masked[j]};
    const double weight = sum > 0 ? terms[j] / sum : 0.0;
    row.lines.push_back(term(key_label(ask.trace, *ask.site, ask.index(0), static_cast<std::int64_t>(j)),
                             {std::move(power), number(weight, at(Role::weights, j))}, j == key, weight));
    row.lines.back().spans.back().value = weight;
  }
  if (written < order.size()) {
    ExplainLine more = say(Tone::quiet, "and {} more keys, together {}",
                           {whole(static_cast<std::int64_t>(order.size() - written)), number(rest)});
    more.kind = ExplainLine::Kind::rest;
    row.lines.push_back(std::move(more));
  }
  row.total = sum > 0 ? 1.0 : 0.0;
  answer.sections = {weights_formula(ask, t), std::move(row)};
  return answer;
}

Result<Answer> write_context(const Question& ask) {
  HL_TRY(needs_site(ask));
  const std::string* const from = ask.input(0);  // the weights, or where they are replaced those that the model computes itself
  if (!from) return invalid("this sum has no weights").at(ask.at.step);
  Products products;
  products.first_a = {*from, {ask.index(0), ask.index(1), ask.index(2), 0}};
  products.first_b = {ask.site->v, {ask.index(0), ask.index(1) / group_of(*ask.site), 0, ask.index(3)}};
  products.axis_a = 3;
  products.axis_b = 2;
  products.axis = "key";
  products.labels = key_labels(ask);
  HL_ASSIGN(products.a, read_along(ask.trace, products.first_a, 3));
  HL_ASSIGN(products.b, read_along(ask.trace, products.first_b, 2));
  Answer answer;
  ExplainSection sum{"with its numbers", {}};
  const Total total = write_products(sum, products);
  sum.lines.push_back(formula({sign("= "), number(total.value)}));
  answer.computed = total.value;
  // The weights that were multiplied may differ from those in the trace, if a tile computed them again: their error is that of
  // d_k products, as in write_weights.
  answer.tolerance = ask.unit * static_cast<double>(products.a.size() + 4 * (ask.site->d_k + 8)) * total.sizes;
  answer.sections = {{"formula",
                      {formula({sign("context[h, i, d] = Σ_j weights[h, i, j] v[h, j, d]",
                                     "\\text{context}_{h,i,d} = \\sum_j \\text{weights}_{h,i,j}\\, v_{h,j,d}")}),
                       say(Tone::quiet, "query {} {}, head {}, dimension {}",
                           {whole(ask.index(2)), name(query_label(ask.trace, *ask.site, ask.index(0), ask.index(2))),
                            whole(ask.index(1)), whole(ask.index(3))})}},
                     std::move(sum)};
  if (group_of(*ask.site) > 1) answer.sections[0].lines.push_back(shared_key_line(*ask.site, ask.index(1)));
  return answer;
}

// The stages are steps of their own.
Result<Answer> write_stage(const Question& ask) {
  switch (ask.step.computed_by.way()) {
    case Computation::attention_scores: return write_scores(ask);
    case Computation::attention_scaled: return write_scaled(ask);
    case Computation::attention_masked: return write_masked(ask);
    case Computation::attention_weights: return write_weights(ask);
    case Computation::attention_context: return write_context(ask);
    default: return write_formula(ask);
  }
}

}  // namespace

const OperationWords attention_words{write_stage};

}  // namespace headlight::explaining
