#include "engine/insight/query_key_space.h"

#include <algorithm>

#include "engine/insight/projection.h"
#include "engine/insight/residual_stream.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;

// The first rows of a [rows, columns] tensor.
std::vector<Vector> rows_as_vectors(const Tensor& tensor, std::size_t most) {
  const Vector all = as_doubles(tensor);
  const auto columns = static_cast<std::size_t>(tensor.dim(1));
  std::vector<Vector> rows;
  for (std::size_t i = 0; i < std::min(most, static_cast<std::size_t>(tensor.dim(0))); ++i) {
    const auto begin = all.begin() + static_cast<std::ptrdiff_t>(i * columns);
    rows.emplace_back(begin, begin + static_cast<std::ptrdiff_t>(columns));
  }
  return rows;
}

std::size_t tokens_of(const Trace& trace, bool of_targets, std::int64_t batch) {
  const auto sentences = of_targets ? trace.targets() : trace.texts();
  return sentences[static_cast<std::size_t>(batch)].tokens.size();
}

}  // namespace

Result<QueryKeySpace> query_key_space(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                      const CancelToken& cancel) {
  if (head < 0 || head >= site.heads || batch < 0 || batch >= static_cast<std::int64_t>(trace.texts().size()))
    return not_found("there is no head {}", head).at(site.prefix).mend("there are {} heads", site.heads);
  HL_ASSIGN(const Tensor q, rows_of(trace, site.q, batch, head, 0, -1));
  HL_ASSIGN(const Tensor k, rows_of(trace, site.k, batch, head / (site.heads / site.kv_heads), 0, -1));
  HL_ASSIGN(const Tensor weights, rows_of(trace, trace.name_at(site.prefix, Role::weights), batch, head, 0, -1));
  if (cancel.cancelled()) return cancelled();
  const std::vector<Vector> queries = rows_as_vectors(q, tokens_of(trace, site.rows_are_targets, batch)),
                            keys = rows_as_vectors(k, tokens_of(trace, site.columns_are_targets, batch));
  std::vector<Vector> all = queries;
  all.insert(all.end(), keys.begin(), keys.end());
  const Projection plane = principal_plane(all);
  QueryKeySpace out;
  out.share = plane.share;
  const auto middle = plane.points.begin() + static_cast<std::ptrdiff_t>(queries.size());
  out.queries.assign(plane.points.begin(), middle);
  out.keys.assign(middle, plane.points.end());
  out.weights = rows_as_vectors(weights, queries.size());
  for (Vector& row : out.weights) row.resize(keys.size(), 0.0);
  return out;
}

}  // namespace headlight
