// The part of scores that a table of rows by distance adds.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/insight/operation_words.h"
#include "engine/operations/relative_rows.h"

namespace headlight::explaining {
namespace {

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

}  // namespace

const OperationWords relative_scores_words{write_relative_scores};

}  // namespace headlight::explaining
