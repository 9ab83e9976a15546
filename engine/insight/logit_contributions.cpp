#include "engine/insight/logit_contributions.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "engine/insight/attention_parts.h"
#include "engine/insight/output_parts.h"
#include "engine/insight/residual_stream.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;
using PartKind = LogitContributions::Kind;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// One position of a step [B, N, d].
Result<Vector> logit_contributions_vector_of(const Trace& trace, const std::string& step, std::int64_t batch,
                                             std::int64_t position) {
  HL_ASSIGN(const Tensor row, rows_of(trace, step, batch, 0, position, 1));
  return as_doubles(row);
}

// A column of a parameter [rows, columns], or the whole vector.
Result<Vector> column_of(const Trace& trace, const std::string& parameter, std::int64_t column, std::int64_t columns) {
  Trace::Tile tile;
  tile.column = column;
  tile.columns = columns;
  HL_ASSIGN(const Tensor values, trace.tile(parameter, tile));
  return as_doubles(values);
}

}  // namespace

Result<LogitContributions> logit_contributions(const Trace& trace, std::int64_t batch, std::int64_t position, std::int32_t token,
                                               const CancelToken& cancel) {
  HL_ASSIGN(const OutputParts parts, output_parts(trace));
  const Document& document = trace.document();
  if (!document.residual || document.norm == "post")
    return not_found("the layers of this model are not summed in one stream, so a logit has no shares")
        .at(document.norm)
        .mend("choose a model with norms before its layers");
  const Step* const logits = trace.find(parts.logits);
  if (position < 0 || position >= logits->shape[1] || token < 0 || token >= logits->shape[2])
    return not_found("there is no logit of token {} at position {}", token, position)
        .at(parts.logits)
        .mend("its shape is {}", to_string(logits->shape));

  // The output matrix's column, behind the final norm's gamma and scale. LayerNorm also takes the mean out of each vector, which
  // is the same as taking it out of the direction.
  LogitContributions out;
  HL_ASSIGN(Vector direction, column_of(trace, parts.matrix, token, 1));
  if (!parts.norm.empty()) {
    HL_ASSIGN(const Vector x, logit_contributions_vector_of(trace, parts.stream.back(), batch, position));
    HL_ASSIGN(const Vector gamma, column_of(trace, parts.gamma, 0, -1));
    const auto n = static_cast<double>(x.size());
    if (!parts.beta.empty()) {
      HL_ASSIGN(const Vector beta, column_of(trace, parts.beta, 0, -1));
      out.parts.push_back({PartKind::norm_shift, {}, -1, -1, dot(beta, direction)});
    }
    const double mean = parts.rms ? 0 : std::accumulate(x.begin(), x.end(), 0.0) / n;
    double square = 0;
    for (const double v : x) square += (v - mean) * (v - mean);
    const double scale = std::sqrt(square / n + parts.epsilon);
    for (std::size_t c = 0; c < direction.size(); ++c) direction[c] *= gamma[c] / scale;
    if (!parts.rms) {
      const double middle = std::accumulate(direction.begin(), direction.end(), 0.0) / n;
      for (double& v : direction) v -= middle;
    }
  }

  const auto add_step = [&](PartKind kind, const std::string& place, std::int64_t layer, const std::string& step) -> Status {
    HL_ASSIGN(const Vector x, logit_contributions_vector_of(trace, step, batch, position));
    out.parts.push_back({kind, place, layer, -1, dot(x, direction)});
    return {};
  };
  HL_TRY(add_step(PartKind::embedding, {}, -1, parts.stream.front()));
  for (std::int64_t layer = 0; layer + 1 < static_cast<std::int64_t>(parts.stream.size()); ++layer) {
    if (cancel.cancelled()) return cancelled();
    const std::string place = parts.stack + "layer." + std::to_string(layer) + ".";
    for (const AttentionSite& site : trace.sites()) {
      if (site.layer != layer || !site.prefix.starts_with(place)) continue;
      const ResidualPlace residual = residual_place(trace, site);
      const Step* const sum = trace.find(residual.after);
      if (sum && std::find(sum->inputs.begin(), sum->inputs.end(), residual.output) == sum->inputs.end())
        return not_found("the parts of this model pass a norm of their own before they are added, so a logit has no shares")
            .at(site.prefix)
            .mend("choose a model with norms before its layers alone");
      if (residual.mixes) return heads_are_mixed(site);
      if (residual.matrix.empty())
        return not_found("the heads of this attention are not added up by an output matrix").at(site.prefix);
      HL_ASSIGN(const AttentionParts of_heads, attention_parts(trace, site, batch, position, cancel));
      for (std::size_t head = 0; head < of_heads.heads.size(); ++head)
        out.parts.push_back(
            {PartKind::head, site.prefix, site.layer, static_cast<std::int64_t>(head), dot(of_heads.heads[head], direction)});
      if (!of_heads.bias.empty())
        out.parts.push_back({PartKind::attention_bias, site.prefix, site.layer, -1, dot(of_heads.bias, direction)});
    }
    if (const Step* fed = trace.step_at(place, Role::mlp_output))
      HL_TRY(add_step(PartKind::feed_forward, place, layer, fed->name));
  }
  Trace::Tile tile;
  tile.batch = batch;
  tile.row = position;
  tile.rows = 1;
  tile.column = token;
  tile.columns = 1;
  HL_ASSIGN(const Tensor own, trace.tile(parts.logits, tile));
  out.logit = own.at({0, 0});
  if (parts.cap > 0) out.logit = parts.cap * std::atanh(out.logit / parts.cap);  // the sum, before it is bent
  out.rest = out.logit;
  for (const LogitContributions::Part& part : out.parts) out.rest -= part.logit;
  return out;
}

}  // namespace headlight
