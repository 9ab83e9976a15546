#include "engine/insight/attention_parts.h"

#include <algorithm>

#include "engine/insight/residual_stream.h"
#include "engine/operations/ablate.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

// What an intervention makes of a whole attention.
enum class Replaced { no, zero, mean };
Replaced replaced(const Trace& trace, const AttentionSite& site) {
  const Step* const output = trace.step_at(site.prefix, Role::attention_output);
  if (!output || !output->computed_by.is<operations::Ablate>()) return Replaced::no;
  const auto& all = trace.document().interventions;
  const bool zero = std::any_of(all.begin(), all.end(), [&](const Intervention& one) {
    return one.kind == Intervention::Kind::zero && one.at.covers_attention(site.prefix);
  });
  return zero ? Replaced::zero : Replaced::mean;
}

std::vector<Vector> rows_from(const Tensor& tile) {
  const Vector all = as_doubles(tile);
  const auto rows = static_cast<std::size_t>(tile.dim(0)), columns = static_cast<std::size_t>(tile.dim(1));
  std::vector<Vector> out(rows);
  for (std::size_t r = 0; r < rows; ++r)
    out[r].assign(all.begin() + static_cast<std::ptrdiff_t>(r * columns),
                  all.begin() + static_cast<std::ptrdiff_t>((r + 1) * columns));
  return out;
}

// The mean over the text's own tokens.
Vector mean_of(const std::vector<Vector>& rows) {
  Vector mean(rows.empty() ? 0 : rows.front().size(), 0.0);
  for (const Vector& row : rows)
    for (std::size_t c = 0; c < mean.size(); ++c) mean[c] += row[c] / static_cast<double>(rows.size());
  return mean;
}

}  // namespace

Result<std::vector<Vector>> passed_by_head(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                           std::int64_t row, std::int64_t rows) {
  const std::string context = trace.name_at(site.prefix, Role::context);
  HL_ASSIGN(const Tensor own, rows_of(trace, context, batch, head, row, rows));
  std::vector<Vector> passed = rows_from(own);
  const Replaced how = replaced(trace, site);
  if (how == Replaced::zero)
    for (Vector& one : passed) std::fill(one.begin(), one.end(), 0.0);
  if (how == Replaced::mean) {
    const auto sentences = site.rows_are_targets ? trace.targets() : trace.texts();
    const auto count = static_cast<std::int64_t>(sentences[static_cast<std::size_t>(batch)].tokens.size());
    HL_ASSIGN(const Tensor all, rows_of(trace, context, batch, head, 0, count));
    std::fill(passed.begin(), passed.end(), mean_of(rows_from(all)));
  }
  return passed;
}

Result<AttentionParts> attention_parts(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t position,
                                       const CancelToken& cancel) {
  AttentionParts parts;
  const ResidualPlace place = residual_place(trace, site);
  if (place.mixes) return heads_are_mixed(site);
  const std::string& matrix = place.matrix;
  Tensor w_o;
  if (!matrix.empty()) {
    HL_ASSIGN(w_o, trace.values(matrix, cancel));
  }
  for (std::int64_t head = 0; head < site.heads; ++head) {
    if (cancel.cancelled()) return cancelled();
    HL_ASSIGN(const std::vector<Vector> passed, passed_by_head(trace, site, batch, head, position, 1));
    parts.heads.push_back(through_output(passed.front(), w_o, head));
  }
  const Step* product = trace.step_at(site.prefix, Role::attention_output);
  if (!product || replaced(trace, site) == Replaced::zero) return parts;
  if (product->computed_by.is<operations::Ablate>()) product = trace.find(product->inputs.front());
  for (const std::string& input : product->inputs)
    for (const NamedParameter& parameter : trace.parameters())
      if (parameter.name == input && parameter.shape.size() == 1) {
        HL_ASSIGN(const Tensor bias, trace.values(input, cancel));
        parts.bias = as_doubles(bias);
      }
  return parts;
}

}  // namespace headlight
