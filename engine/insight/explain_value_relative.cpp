// What relative positions with clipping add: a row of a table by the distance of query and key, in scores and in weighted sums.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/insight/explain_parts.h"
#include "engine/operations/relative_rows.h"

namespace headlight::explaining {

ValueAddress bias_address(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                          std::int64_t query, std::int64_t key) {
  const Step* const step = trace.find(site.bias);
  return {site.bias, {step && step->shape.front() > 1 ? batch : 0, head, query, key}};
}

Result<Answer> write_relative_scores(const Question& ask) {
  if (!ask.site || ask.site->relative_keys.empty()) return write_formula(ask);
  const std::int64_t clip = ask.site->relative_clip, apart = ask.index(3) - ask.index(2);
  Products products;
  products.first_a = {ask.site->q, {ask.index(0), ask.index(1), ask.index(2), 0}};
  products.first_b = {ask.site->relative_keys, {operations::relative_row(ask.index(2), ask.index(3), clip), 0}};
  products.axis_a = 3;
  products.axis_b = 1;
  products.axis = "d";
  HL_ASSIGN(products.a, read_along(ask.trace, products.first_a, 3));
  HL_ASSIGN(products.b, read_along(ask.trace, products.first_b, 1));
  ExplainSection sum{"with its numbers", {}};
  const Total total = write_products(sum, products);
  Answer answer;
  answer.computed = total.value * ask.site->scale;
  answer.tolerance = ask.unit * static_cast<double>(products.a.size() + 3) * total.sizes * ask.site->scale;
  std::vector<ExplainSpan> spans{sign("= "), number(total.value)};
  for (ExplainSpan& span : scale_spans(*ask.site)) spans.push_back(std::move(span));
  spans.push_back(sign(" = "));
  spans.push_back(number(answer.computed));
  sum.lines.push_back(formula(std::move(spans)));
  answer.sections = {
      {"formula",
       {formula({sign("bias[h, i, j] = scale Σ_d q[h, i, d] a^K[clip(j - i), d]",
                      "\\text{bias}_{h,i,j} = \\text{scale} \\sum_d q_{h,i,d}\\, a^K_{\\mathrm{clip}(j - i),\\,d}")}),
        say(Tone::quiet, "key {} is {} from query {}: clipped to {}, row {} of {}",
            {whole(ask.index(3)), whole(apart), whole(ask.index(2)), whole(std::clamp(apart, -clip, clip)),
             whole(operations::relative_row(ask.index(2), ask.index(3), clip)), whole(2 * clip + 1)})}},
      std::move(sum)};
  return answer;
}

Result<Answer> write_relative_values(const Question& ask) {
  const std::string* const from = ask.input(0);
  if (!ask.site || !from || ask.site->relative_values.empty()) return write_formula(ask);
  const std::int64_t clip = ask.site->relative_clip;
  HL_ASSIGN(const std::vector<double> weights, read_along(ask.trace, {*from, {ask.index(0), ask.index(1), ask.index(2), 0}}, 3));
  HL_ASSIGN(const std::vector<double> column, read_along(ask.trace, {ask.site->relative_values, {0, ask.index(3)}}, 0));
  Products products;
  products.first_a = {*from, {ask.index(0), ask.index(1), ask.index(2), 0}};
  products.axis_a = 3;
  products.axis = "key";
  products.a = weights;
  for (std::size_t j = 0; j < weights.size(); ++j) {
    const std::int64_t row = operations::relative_row(ask.index(2), static_cast<std::int64_t>(j), clip);
    products.b.push_back(column[static_cast<std::size_t>(row)]);
    products.labels.push_back("a^V[" + std::to_string(row - clip) + "]");
  }
  ExplainSection sum{"with its numbers", {}};
  const Total total = write_products(sum, products);
  sum.lines.push_back(formula({sign("= "), number(total.value)}));
  Answer answer;
  answer.computed = total.value;
  answer.tolerance = ask.unit * static_cast<double>(products.a.size() + 4 * (ask.site->d_k + 8)) * total.sizes;
  answer.sections = {{"formula",
                      {formula({sign("Σ_j weights[h, i, j] a^V[clip(j - i), d]",
                                     "\\sum_j \\text{weights}_{h,i,j}\\, a^V_{\\mathrm{clip}(j - i),\\,d}")}),
                       say(Tone::quiet, "distances beyond {} share the row of the farthest", {whole(clip)})}},
                     std::move(sum)};
  return answer;
}

}  // namespace headlight::explaining
