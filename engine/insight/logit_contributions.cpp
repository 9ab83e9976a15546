#include "engine/insight/logit_contributions.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "engine/insight/attention_parts.h"
#include "engine/insight/explain.h"
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

// A token's logit before the final cap.
Result<double> own_logit(const Trace& trace, const OutputParts& parts, std::int64_t batch, std::int64_t position,
                         std::int32_t token) {
  Trace::Tile tile;
  tile.batch = batch;
  tile.row = position;
  tile.rows = 1;
  tile.column = token;
  tile.columns = 1;
  HL_ASSIGN(const Tensor own, trace.tile(parts.logits, tile));
  const double logit = own.at({0, 0});
  return parts.cap > 0 ? parts.cap * std::atanh(logit / parts.cap) : logit;
}

// The vectors that were added to the stream at a position, as parts of what a direction reads of it.
Result<std::vector<LogitContributions::Part>> parts_along(const Trace& trace, const OutputParts& parts, std::int64_t batch,
                                                          std::int64_t position, const LogitDirection& reads,
                                                          const CancelToken& cancel) {
  std::vector<LogitContributions::Part> out;
  const Vector& direction = reads.direction;
  if (!parts.norm.empty() && !parts.beta.empty()) out.push_back({PartKind::norm_shift, {}, -1, -1, reads.shift});
  const auto add_step = [&](PartKind kind, const std::string& place, std::int64_t layer, const std::string& step) -> Status {
    HL_ASSIGN(const Vector x, logit_contributions_vector_of(trace, step, batch, position));
    out.push_back({kind, place, layer, -1, dot(x, direction)});
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
        out.push_back(
            {PartKind::head, site.prefix, site.layer, static_cast<std::int64_t>(head), dot(of_heads.heads[head], direction)});
      if (!of_heads.bias.empty())
        out.push_back({PartKind::attention_bias, site.prefix, site.layer, -1, dot(of_heads.bias, direction)});
    }
    if (const Step* fed = trace.step_at(place, Role::mlp_output))
      HL_TRY(add_step(PartKind::feed_forward, place, layer, fed->name));
  }
  return out;
}

// A head's part by the token that it was read from: weight times the value's part, behind the head's rows of W_O, along a
// direction.
Result<Vector> head_by_source(const Trace& trace, const LogitContributions::Part& head, std::int64_t batch, std::int64_t position,
                              const Vector& direction) {
  const AttentionSite& site = *find_site(trace, head.place);
  HL_ASSIGN(const Tensor row, rows_of(trace, trace.name_at(site.prefix, Role::weights), batch, head.head, position, 1));
  HL_ASSIGN(const Vector values, values_of_query(trace, site, batch, head.head, position));
  const Vector weights = as_doubles(row);
  const std::size_t d_v = values.size() / weights.size();
  const auto first = head.head * static_cast<std::int64_t>(d_v);
  HL_ASSIGN(const Tensor of_head,
            rows_of(trace, residual_place(trace, site).matrix, 0, 0, first, static_cast<std::int64_t>(d_v)));
  const Vector rows = as_doubles(of_head);
  Vector back(d_v, 0.0);
  for (std::size_t i = 0; i < d_v; ++i)
    back[i] = std::inner_product(direction.begin(), direction.end(),
                                 rows.begin() + static_cast<std::ptrdiff_t>(i * direction.size()), 0.0);
  const auto kept = static_cast<double>(kept_of_head(trace, head.place, head.head));
  Vector parts(weights.size());
  for (std::size_t j = 0; j < parts.size(); ++j)
    parts[j] = kept * weights[j] *
               std::inner_product(back.begin(), back.end(), values.begin() + static_cast<std::ptrdiff_t>(j * d_v), 0.0);
  return parts;
}

}  // namespace

Result<LogitDirection> logit_direction(const Trace& trace, std::int64_t batch, std::int64_t position, std::int32_t token) {
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
  LogitDirection out;
  Vector& direction = out.direction;
  HL_ASSIGN(direction, column_of(trace, parts.matrix, token, 1));
  if (parts.norm.empty()) return out;
  HL_ASSIGN(const Vector x, logit_contributions_vector_of(trace, parts.stream.back(), batch, position));
  HL_ASSIGN(const Vector gamma, column_of(trace, parts.gamma, 0, -1));
  const auto n = static_cast<double>(x.size());
  if (!parts.beta.empty()) {
    HL_ASSIGN(const Vector beta, column_of(trace, parts.beta, 0, -1));
    out.shift = dot(beta, direction);
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
  return out;
}

Result<LogitContributions> logit_contributions(const Trace& trace, std::int64_t batch, std::int64_t position, std::int32_t token,
                                               const CancelToken& cancel) {
  HL_ASSIGN(const OutputParts parts, output_parts(trace));
  HL_ASSIGN(const LogitDirection reads, logit_direction(trace, batch, position, token));
  LogitContributions out;
  HL_ASSIGN(out.parts, parts_along(trace, parts, batch, position, reads, cancel));
  HL_ASSIGN(out.logit, own_logit(trace, parts, batch, position, token));
  out.rest = out.logit;
  for (const LogitContributions::Part& part : out.parts) out.rest -= part.logit;
  return out;
}

std::vector<double> LogitDifference::by_layer() const {
  std::vector<double> sums(1, 0.0);
  for (const Part& part : parts) {
    const auto at = static_cast<std::size_t>(part.layer + 1);
    if (at >= sums.size()) sums.resize(at + 1, 0.0);
    sums[at] += part.logit;
  }
  return sums;
}

double LogitDifference::without_heads() const {
  double sum = 0;
  for (const Part& part : parts)
    if (part.kind != PartKind::head) sum += part.logit;
  return sum;
}

std::vector<double> LogitDifference::by_source(bool of_other_text) const {
  std::vector<double> sums;
  for (const Part& part : parts) {
    if (part.place.ends_with("cross.") != of_other_text) continue;
    if (part.by_source.size() > sums.size()) sums.resize(part.by_source.size(), 0.0);
    for (std::size_t key = 0; key < part.by_source.size(); ++key) sums[key] += part.by_source[key];
  }
  return sums;
}

Result<LogitDifference> logit_difference(const Trace& trace, std::int64_t batch, std::int64_t position, std::int32_t word,
                                         std::int32_t over, const CancelToken& cancel) {
  HL_ASSIGN(const OutputParts parts, output_parts(trace));
  HL_ASSIGN(LogitDirection reads, logit_direction(trace, batch, position, word));
  HL_ASSIGN(const LogitDirection other, logit_direction(trace, batch, position, over));
  for (std::size_t c = 0; c < reads.direction.size(); ++c) reads.direction[c] -= other.direction[c];
  reads.shift -= other.shift;
  LogitDifference out;
  HL_ASSIGN(const std::vector<LogitContributions::Part> along, parts_along(trace, parts, batch, position, reads, cancel));
  for (const LogitContributions::Part& part : along) {
    out.parts.push_back({part.kind, part.place, part.layer, part.head, part.logit, {}});
    if (part.kind != PartKind::head) continue;
    HL_ASSIGN(out.parts.back().by_source, head_by_source(trace, part, batch, position, reads.direction));
  }
  HL_ASSIGN(const double of_word, own_logit(trace, parts, batch, position, word));
  HL_ASSIGN(const double of_other, own_logit(trace, parts, batch, position, over));
  out.difference = out.rest = of_word - of_other;
  double sizes = std::abs(of_word) + std::abs(of_other);
  for (const LogitDifference::Part& part : out.parts) {
    out.rest -= part.logit;
    sizes += std::abs(part.logit);
  }
  out.tolerance = 256 * static_cast<double>(std::numeric_limits<float>::epsilon()) * sizes;
  return out;
}

}  // namespace headlight
