#include "engine/insight/attention_added.h"

#include <cmath>
#include <numeric>

#include "engine/insight/residual_stream.h"
#include "engine/operations/ablate.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

Result<Vector> row_of(const Trace& trace, const std::string& step, std::int64_t batch, std::int64_t head, std::int64_t row) {
  HL_ASSIGN(const Tensor values, rows_of(trace, step, batch, head, row, 1));
  return as_doubles(values);
}

// u through one head's rows of W_O [h d_v, d_model], so that x . result = (x W_O^h) . u for every x [d_v].
Vector back_through(const Vector& u, const Vector& matrix, std::size_t head, std::size_t d_v) {
  if (matrix.empty()) return u;
  Vector back(d_v, 0.0);
  for (std::size_t i = 0; i < d_v; ++i) {
    const double* const row = matrix.data() + (head * d_v + i) * u.size();
    back[i] = std::inner_product(u.begin(), u.end(), row, 0.0);
  }
  return back;
}

// Whether what goes on to W_O is not the sum of the weighted values: of a layer's heads an intervention changes some alone.
bool is_replaced(const Vector& used, const Vector& weights, const Vector& v) {
  double apart = 0, length = 0;
  for (std::size_t c = 0; c < used.size(); ++c) {
    double sum = 0;
    for (std::size_t j = 0; j < weights.size(); ++j) sum += weights[j] * v[j * used.size() + c];
    apart += (sum - used[c]) * (sum - used[c]);
    length += sum * sum;
  }
  return apart > 1e-6 * length;
}

// One head: what goes on to W_O, and from which keys it came. Where an intervention replaces the head's weighted sum, it came
// from no key.
Result<AttentionAdded::Head> head_added(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t row,
                                        std::size_t head, const Vector& u, const Vector& w_o, const Tensor& matrix) {
  AttentionAdded::Head out;
  const auto h = static_cast<std::int64_t>(head);
  const Step* const context = trace.step_at(site.prefix, Role::context);
  if (!context) return not_found("what the heads add is no step of the trace").at(site.prefix);
  HL_ASSIGN(const Vector weights, row_of(trace, trace.name_at(site.prefix, Role::weights), batch, h, row));
  HL_ASSIGN(const Vector used, row_of(trace, context->name, batch, h, row));
  HL_ASSIGN(const Vector v, values_of_query(trace, site, batch, h, row));
  const Vector back = back_through(u, w_o, head, used.size());
  out.length = length_of(through_output(used, matrix, h));
  out.along = std::inner_product(used.begin(), used.end(), back.begin(), 0.0);
  out.by_source.assign(weights.size(), 0.0);
  if (context->computed_by.is<operations::Ablate>() && is_replaced(used, weights, v)) return out;
  for (std::size_t j = 0; j < weights.size(); ++j)
    out.by_source[j] = weights[j] * std::inner_product(back.begin(), back.end(), v.data() + j * back.size(), 0.0);
  return out;
}

}  // namespace

Result<AttentionAdded> attention_added(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t row,
                                       const CancelToken& cancel) {
  AttentionAdded out;
  out.prefix = site.prefix;
  out.layer = site.layer;
  const ResidualPlace place = residual_place(trace, site);
  if (place.mixes) return heads_are_mixed(site);
  const Step* const output = trace.find(place.output);
  if (!output) return not_found("what the heads add is no step of the trace").at(site.prefix);
  HL_ASSIGN(const Vector all, row_of(trace, output->name, batch, 0, row));
  out.length = out.rest = length_of(all);
  out.by_source.assign(static_cast<std::size_t>(site.keys), 0.0);
  Vector u = all;
  for (double& one : u) one = out.length > 0 ? one / out.length : 0;
  Tensor matrix;
  if (!place.matrix.empty()) {
    HL_ASSIGN(matrix, trace.values(place.matrix, cancel));
  }
  const Vector w_o = matrix.empty() ? Vector() : as_doubles(matrix);
  // Of an attention that is replaced as a whole nothing came from the heads.
  const bool replaced = output->computed_by.is<operations::Ablate>();
  for (std::int64_t head = 0; head < site.heads; ++head) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(AttentionAdded::Head one, head_added(trace, site, batch, row, static_cast<std::size_t>(head), u, w_o, matrix));
    if (replaced) one = {Vector(one.by_source.size(), 0.0), 0, 0};
    for (std::size_t j = 0; j < one.by_source.size() && j < out.by_source.size(); ++j) {
      out.by_source[j] += one.by_source[j];
      out.rest -= one.by_source[j];
    }
    out.heads.push_back(std::move(one));
  }
  for (const std::string& input : replaced ? std::vector<std::string>{} : output->inputs)
    for (const NamedParameter& parameter : trace.parameters())
      if (parameter.name == input && parameter.shape.size() == 1) {
        HL_ASSIGN(const Tensor bias, trace.values(input, cancel));
        const Vector b = as_doubles(bias);
        out.bias += std::inner_product(b.begin(), b.end(), u.begin(), 0.0);
      }
  out.rest -= out.bias;
  return out;
}

}  // namespace headlight
