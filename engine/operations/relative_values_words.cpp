// The part of weighted sums that a table of rows by distance adds.
#include <string>
#include <vector>

#include "engine/insight/operation_words.h"
#include "engine/operations/relative_rows.h"

namespace headlight::explaining {
namespace {

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

}  // namespace

const OperationWords relative_values_words{write_relative_values};

}  // namespace headlight::explaining
