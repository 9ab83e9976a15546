#include "engine/insight/explain_word_cell.h"

#include <algorithm>

#include "engine/attention/masks/combined.h"
#include "engine/insight/explain.h"
#include "engine/insight/explain_parts.h"

namespace headlight {

using namespace explaining;

namespace {

bool sees_anything(const AttentionSite& site, const WordCell& cell, std::int64_t query) {
  for (std::int64_t key = 0; key < site.keys; ++key)
    if (masks::allows(site.mask.mask, cell.batch, cell.head, query, key)) return true;
  return false;
}

}  // namespace

Result<ValueExplanation> explain_word_cell(const Trace& trace, const WordCell& cell) {
  const AttentionSite* const site = find_site(trace, cell.prefix);
  if (!site) return not_found("there is no attention called '{}'", cell.prefix);
  const std::string step = trace.name_at(cell.prefix, Role::weights);
  ValueExplanation e;
  e.address = {step, {cell.batch, cell.head, cell.row.end - 1, cell.column.end - 1}};
  e.name = own_name(step) + "[" + cell.row.label + " → " + cell.column.label + "]";
  e.crumbs = value_crumbs(trace, e.address);
  e.operation = "words instead of pieces";
  e.check = ValueCheck::none;
  const Step* const made = trace.find(step);
  e.random_weights = made && made->origin == Origin::random;

  Products columns, rows;  // of one piece's row; of the sums of all rows
  for (std::int64_t j = cell.column.begin; j < cell.column.end; ++j)
    columns.labels.push_back(key_label(trace, *site, cell.batch, j));
  columns.axis_a = 3;
  for (std::int64_t i = cell.row.begin; i < cell.row.end; ++i) {
    const std::string piece = query_label(trace, *site, cell.batch, i);
    ExplainSection sum{"the weights to its pieces, added up", {}};
    sum.lines.push_back(say(Tone::quiet, "{} looks at the pieces of {}", {name(piece), name(cell.column.label)}));
    if (!sees_anything(*site, cell, i)) {
      sum.lines.push_back(say(Tone::quiet, "its whole row is masked, so it does not count"));
      e.sections.push_back(std::move(sum));
      continue;
    }
    columns.first_a = {step, {cell.batch, cell.head, i, cell.column.begin}};
    HL_ASSIGN(const std::vector<double> all, read_along(trace, {step, {cell.batch, cell.head, i, 0}}, 3));
    columns.a.assign(all.begin() + cell.column.begin, all.begin() + cell.column.end);
    for (std::int64_t j = cell.column.begin; j < cell.column.end; ++j)
      if (!masks::allows(site->mask.mask, cell.batch, cell.head, i, j))
        columns.a[static_cast<std::size_t>(j - cell.column.begin)] = 0;
    const Total total = write_products(sum, columns);
    sum.lines.push_back(formula({name(piece), sign(" → ", " \\to "), name(cell.column.label), sign(" = "), number(total.value)}));
    e.sections.push_back(std::move(sum));
    rows.a.push_back(total.value);
    rows.labels.push_back(piece);
  }
  const auto count = static_cast<std::int64_t>(rows.a.size());
  ExplainSection mean{"the mean over its pieces' rows", {}};
  if (count > 1) {
    const Total total = write_products(mean, rows);
    e.value = total.value / static_cast<double>(count);
    mean.lines.push_back(formula({number(total.value), sign(" / "), whole(count), sign(" = "), number(e.value)}));
    e.sections.push_back(std::move(mean));
  } else {
    e.value = count == 1 ? rows.a.front() : 0;
  }
  e.computed = e.value;
  const ExplainSpan written = number(e.value);
  e.value_text = written.text;
  e.value_latex = written.latex;
  for (const ExplainSection& section : e.sections)
    for (const ExplainLine& line : section.lines)
      for (const ExplainSpan& span : line.spans)
        if (!span.at.step.empty()) e.inputs.push_back({value_name(trace, span.at), span.at, span.value});
  return e;
}

Result<CellAddress> strongest_word_cell(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head,
                                        const WordAxes& axes) {
  const AttentionSite* const site = find_site(trace, prefix);
  if (!site) return not_found("there is no attention called '{}'", prefix);
  HL_ASSIGN(const Tensor weights, trace.tile(trace.name_at(prefix, Role::weights), {batch, head}));
  const Tensor words = words_weights(weights, {}, axes).as(DType::f64).compact();
  const auto sentences = site->rows_are_targets ? trace.targets() : trace.texts();
  const auto own = batch < static_cast<std::int64_t>(sentences.size())
                       ? static_cast<std::int64_t>(sentences[static_cast<std::size_t>(batch)].tokens.size())
                       : site->queries;
  CellAddress best{prefix, batch, head, 0, 0};
  double largest = -1;
  for (const bool with_choice : {true, false}) {
    if (largest >= 0) break;
    for (std::int64_t r = 0; r < words.dim(0); ++r) {
      const double* const row = words.data<double>() + r * words.dim(1);
      if (with_choice && (axes.rows.words[static_cast<std::size_t>(r)].begin >= own ||
                          std::count_if(row, row + words.dim(1), [](double w) { return w > 0; }) < 2))
        continue;
      const double* const peak = std::max_element(row, row + words.dim(1));
      if (!(*peak > largest)) continue;
      largest = *peak;
      best.query = axes.rows.last_token(r);
      best.key = axes.columns.last_token(peak - row);
    }
  }
  return best;
}

}  // namespace headlight
