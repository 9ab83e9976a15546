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
using Kind = LogitContributions::Kind;

double dot(const Vector& a, const Vector& b) { return std::inner_product(a.begin(), a.end(), b.begin(), 0.0); }

// One position of a step [B, N, d].
Result<Vector> vector_of(const Trace& trace, const std::string& step, std::int64_t batch, std::int64_t position) {
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

class Attribution {
 public:
  Attribution(const Trace& trace, std::int64_t batch, std::int64_t position, const CancelToken& cancel)
      : trace_(trace), batch_(batch), position_(position), cancel_(cancel) {}
  Result<LogitContributions> compute(std::int32_t token);

 private:
  Status find_direction(const OutputParts& parts, std::int32_t token);
  Status add_attention(const AttentionSite& site);
  Status add_step(Kind kind, const std::string& place, std::int64_t layer, const std::string& step);

  const Trace& trace_;
  std::int64_t batch_, position_;
  const CancelToken& cancel_;
  Vector direction_;  // [d_model]: a vector x in the stream adds x . direction_ to the logit
  LogitContributions out_;
};

// The output matrix's column, behind the final norm's gamma and scale. LayerNorm also takes the mean out of each vector, which is
// the same as taking it out of the direction.
Status Attribution::find_direction(const OutputParts& parts, std::int32_t token) {
  HL_ASSIGN(direction_, column_of(trace_, parts.matrix, token, 1));
  if (parts.norm.empty()) return {};
  HL_ASSIGN(const Vector x, vector_of(trace_, parts.stream.back(), batch_, position_));
  HL_ASSIGN(const Vector gamma, column_of(trace_, parts.gamma, 0, -1));
  const auto n = static_cast<double>(x.size());
  if (!parts.beta.empty()) {
    HL_ASSIGN(const Vector beta, column_of(trace_, parts.beta, 0, -1));
    out_.parts.push_back({Kind::norm_shift, {}, -1, -1, dot(beta, direction_)});
  }
  const double mean = parts.rms ? 0 : std::accumulate(x.begin(), x.end(), 0.0) / n;
  double square = 0;
  for (const double v : x) square += (v - mean) * (v - mean);
  const double scale = std::sqrt(square / n + parts.epsilon);
  for (std::size_t c = 0; c < direction_.size(); ++c) direction_[c] *= gamma[c] / scale;
  if (parts.rms) return {};
  const double middle = std::accumulate(direction_.begin(), direction_.end(), 0.0) / n;
  for (double& v : direction_) v -= middle;
  return {};
}

Status Attribution::add_step(Kind kind, const std::string& place, std::int64_t layer, const std::string& step) {
  HL_ASSIGN(const Vector x, vector_of(trace_, step, batch_, position_));
  out_.parts.push_back({kind, place, layer, -1, dot(x, direction_)});
  return {};
}

Status Attribution::add_attention(const AttentionSite& site) {
  const ResidualPlace place = residual_place(trace_, site);
  if (place.mixes) return heads_are_mixed(site);
  if (place.matrix.empty()) return not_found("the heads of this attention are not added up by an output matrix", site.prefix);
  HL_ASSIGN(const AttentionParts parts, attention_parts(trace_, site, batch_, position_, cancel_));
  for (std::size_t head = 0; head < parts.heads.size(); ++head)
    out_.parts.push_back(
        {Kind::head, site.prefix, site.layer, static_cast<std::int64_t>(head), dot(parts.heads[head], direction_)});
  if (!parts.bias.empty()) out_.parts.push_back({Kind::attention_bias, site.prefix, site.layer, -1, dot(parts.bias, direction_)});
  return {};
}

Result<LogitContributions> Attribution::compute(std::int32_t token) {
  HL_ASSIGN(const OutputParts parts, output_parts(trace_));
  const Document& document = trace_.document();
  if (!document.residual || document.norm == "post")
    return not_found("the layers of this model are not summed in one stream, so a logit has no shares", document.norm,
                     "choose a model with norms before its layers");
  const Step* const logits = trace_.find(parts.logits);
  if (position_ < 0 || position_ >= logits->shape[1] || token < 0 || token >= logits->shape[2])
    return not_found("there is no logit of token " + std::to_string(token) + " at position " + std::to_string(position_),
                     parts.logits, "its shape is " + to_string(logits->shape));
  HL_TRY(find_direction(parts, token));
  HL_TRY(add_step(Kind::embedding, {}, -1, parts.stream.front()));
  for (std::int64_t layer = 0; layer + 1 < static_cast<std::int64_t>(parts.stream.size()); ++layer) {
    if (cancel_.cancelled()) return cancelled();
    const std::string place = parts.stack + "layer." + std::to_string(layer) + ".";
    for (const AttentionSite& site : trace_.sites())
      if (site.layer == layer && site.prefix.starts_with(place)) HL_TRY(add_attention(site));
    if (const Step* fed = trace_.step_at(place, Role::mlp_output)) HL_TRY(add_step(Kind::feed_forward, place, layer, fed->name));
  }
  Trace::Tile tile;
  tile.batch = batch_;
  tile.row = position_;
  tile.rows = 1;
  tile.column = token;
  tile.columns = 1;
  HL_ASSIGN(const Tensor own, trace_.tile(parts.logits, tile));
  out_.logit = out_.rest = own.at({0, 0});
  for (const LogitContributions::Part& part : out_.parts) out_.rest -= part.logit;
  return std::move(out_);
}

}  // namespace

Result<LogitContributions> logit_contributions(const Trace& trace, std::int64_t batch, std::int64_t position, std::int32_t token,
                                               const CancelToken& cancel) {
  return Attribution(trace, batch, position, cancel).compute(token);
}

}  // namespace headlight
