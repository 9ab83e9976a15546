#include "engine/insight/residual_stream.h"

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/document/intervention.h"
#include "engine/operations/ablate.h"
#include "engine/operations/relative_rows.h"

namespace headlight {
namespace {

bool is_stream(const Trace& trace, const std::string& name) {
  const Step* step = trace.find(name);
  return step && step->shape.size() == 3;
}

// The first parameter of rank 2 among a step's inputs.
std::string matrix_of(const Trace& trace, const Step& step) {
  for (const std::string& input : step.inputs)
    for (const NamedParameter& parameter : trace.parameters())
      if (parameter.name == input && parameter.shape.size() == 2) return input;
  return {};
}

}  // namespace

Error heads_are_mixed(const AttentionSite& site) {
  return failure(ErrorKind::unavailable,
                 "the 2-D stack mixes the heads through tanh, so what one of them adds cannot be told apart")
      .at(site.prefix)
      .mend("combine the heads by concat");
}

ResidualPlace residual_place(const Trace& trace, const AttentionSite& site) {
  ResidualPlace place;
  const std::string concat = trace.name_at(site.prefix, Role::concat);
  const Step* projected = trace.step_at(site.prefix, Role::attention_output);
  place.output = projected ? projected->name : concat;
  if (projected) place.matrix = matrix_of(trace, *projected);
  // Of a part that an intervention replaces the matrix stands behind the model's own step.
  const Step* own = projected;
  if (projected && projected->computed_by.is<operations::Ablate>()) own = trace.find(projected->inputs.front());
  if (own && own != projected) place.matrix = matrix_of(trace, *own);
  place.mixes = own && !own->activation.empty();
  if (place.mixes) place.matrix.clear();
  const auto take_before = [&](const Step& step) {
    for (const std::string& input : step.inputs)
      if (place.before.empty() && place_of(input) != site.prefix && is_stream(trace, input)) place.before = input;
  };
  if (const Step* sum = trace.step_at(site.prefix, Role::attention_residual)) {
    take_before(*sum);
    place.after = sum->name;
    return place;
  }
  place.replaces = true;
  for (const Step& step : trace.steps())
    if (place_of(step.name) == site.prefix) take_before(step);
  return place;
}

Result<Tensor> rows_of(const Trace& trace, const std::string& step, std::int64_t batch, std::int64_t head, std::int64_t row,
                       std::int64_t rows) {
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  tile.row = row;
  tile.rows = rows;
  return trace.tile(step, tile);
}

Result<std::vector<double>> bias_row(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                     std::int64_t query) {
  if (site.bias.empty()) return std::vector<double>{};
  HL_ASSIGN(const Tensor row, rows_of(trace, site.bias, batch, head, query, 1));
  return as_doubles(row);
}

Result<std::vector<double>> values_of_query(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                            std::int64_t query) {
  const std::int64_t group = site.kv_heads > 0 ? site.heads / site.kv_heads : 1;
  HL_ASSIGN(const Tensor rows, rows_of(trace, site.v, batch, head / group, 0, -1));
  std::vector<double> values = as_doubles(rows);
  if (site.relative_values.empty()) return values;
  HL_ASSIGN(const Tensor table, trace.values(site.relative_values));
  const std::vector<double> added = as_doubles(table);
  const auto d_v = static_cast<std::size_t>(table.dim(1));
  for (std::size_t j = 0; j * d_v < values.size(); ++j) {
    const auto row = static_cast<std::size_t>(operations::relative_row(query, static_cast<std::int64_t>(j), site.relative_clip));
    for (std::size_t c = 0; c < d_v; ++c) values[j * d_v + c] += added[row * d_v + c];
  }
  return values;
}

float kept_of_head(const Trace& trace, const std::string& prefix, std::int64_t head) {
  float kept = 1;
  for (const Intervention& one : trace.document().interventions) {
    if (changes_pattern(one)) continue;
    if (!one.at.covers_attention(prefix) && !one.at.covers_head(prefix, head)) continue;
    kept *= one.kind == Intervention::Kind::scale ? static_cast<float>(one.factor) : 0.0F;
  }
  return kept;
}

std::vector<double> as_doubles(const Tensor& tensor) {
  const Tensor wide = tensor.as(DType::f64).compact();
  const auto values = wide.values<double>();
  return {values.begin(), values.end()};
}

std::vector<double> through_output(const std::vector<double>& x, const Tensor& matrix, std::int64_t head) {
  const auto d_v = static_cast<std::int64_t>(x.size());
  if (matrix.empty() || (head + 1) * d_v > matrix.dim(0)) return x;
  const std::vector<double> rows = as_doubles(matrix.slice(0, head * d_v, (head + 1) * d_v));
  const double* row = rows.data();
  std::vector<double> y(static_cast<std::size_t>(matrix.dim(1)), 0.0);
  for (const double factor : x) {
    for (std::size_t c = 0; c < y.size(); ++c) y[c] += factor * row[c];
    row += y.size();
  }
  return y;
}

double length_of(const std::vector<double>& x) { return std::sqrt(std::inner_product(x.begin(), x.end(), x.begin(), 0.0)); }

double cosine_of(const std::vector<double>& a, const std::vector<double>& b) {
  const double lengths = length_of(a) * length_of(b);
  if (!(lengths > 0) || a.size() != b.size()) return std::numeric_limits<double>::quiet_NaN();
  return std::inner_product(a.begin(), a.end(), b.begin(), 0.0) / lengths;
}

}  // namespace headlight
