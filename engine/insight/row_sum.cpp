#include "engine/insight/row_sum.h"

#include <algorithm>
#include <cmath>
#include <initializer_list>
#include <limits>

#include "engine/attention/masks/combined.h"
#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"
#include "engine/operations/ablate.h"

namespace headlight {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// One position of a [batch, position, d] step.
Result<std::vector<double>> vector_of(const Trace& trace, const std::string& step, std::int64_t batch, std::int64_t position) {
  HL_ASSIGN(const Tensor row, rows_of(trace, step, batch, 0, position, 1));
  return as_doubles(row);
}

// The last of these roles' steps at a place that is a sequence of vectors; empty: there is none.
std::string last_vectors(const Trace& trace, const std::string& place, std::initializer_list<Role> roles) {
  std::string last;
  for (const Role role : roles)
    if (const Step* step = trace.step_at(place, role); step && step->shape.size() == 3) last = step->name;
  return last;
}

const AttentionSite* cross_of(const Trace& trace, const AttentionSite& decoder_self) {
  for (const AttentionSite& site : trace.sites())
    if (decoder_self.site == masks::Site::decoder_self && site.site == masks::Site::cross && site.layer == decoder_self.layer)
      return &site;
  return nullptr;
}

// Variance of the raw scores of the head. Long texts: of the first rows alone, so that looking costs a millisecond, not a second.
constexpr std::int64_t kMostPairs = 256 * 256;
Result<double> variance_of_scores(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head) {
  const std::int64_t rows = std::clamp<std::int64_t>(kMostPairs / std::max<std::int64_t>(1, site.keys), 1, site.queries);
  HL_ASSIGN(const Tensor tile, rows_of(trace, trace.name_at(site.prefix, Role::scores), batch, head, 0, rows));
  const std::vector<double> scores = as_doubles(tile);
  double sum = 0, squares = 0;
  std::int64_t count = 0;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < site.keys; ++j) {
      if (!masks::allows(site.mask.mask, batch, head, i, j)) continue;
      const double s = scores[static_cast<std::size_t>(i * site.keys + j)];
      sum += s;
      squares += s * s;
      ++count;
    }
  if (count < 2) return kNone;
  const double mean = sum / static_cast<double>(count);
  return std::max(0.0, squares / static_cast<double>(count) - mean * mean);
}

// Adds up the weighted values of the row's parts; `v`: all keys' values, d_v numbers each.
void add_values(RowSum& row, const std::vector<double>& v, std::size_t d_v) {
  row.sum.assign(d_v, 0.0);
  for (std::size_t p = 0; p < row.parts.size(); ++p) {
    RowSum::Part& part = row.parts[p];
    double square = 0;
    for (std::size_t c = 0; c < d_v; ++c) {
      const double value = v[static_cast<std::size_t>(part.key) * d_v + c];
      row.values.data<float>()[p * d_v + c] = static_cast<float>(value);
      row.weighted.data<float>()[p * d_v + c] = static_cast<float>(part.weight * value);
      row.sum[c] += part.weight * value;
      square += value * value;
    }
    part.length = part.weight * std::sqrt(square);
    if (part.weight > 0) row.entropy -= part.weight * std::log(part.weight);
  }
  row.sum_length = length_of(row.sum);
  row.most_entropy = row.parts.empty() ? 0 : std::log(static_cast<double>(row.parts.size()));
  if (row.sum_length > 0)
    for (RowSum::Part& part : row.parts) {
      double along = 0;
      for (std::size_t c = 0; c < d_v; ++c) along += part.weight * v[static_cast<std::size_t>(part.key) * d_v + c] * row.sum[c];
      part.along = along / row.sum_length;
    }
}

}  // namespace

Result<RowSum> row_sum(const Trace& trace, const std::string& prefix, std::int64_t batch, std::int64_t head, std::int64_t query,
                       const CancelToken& cancel) {
  const AttentionSite* site = find_site(trace, prefix);
  if (!site) return not_found("there is no attention called '{}'", prefix);
  if (batch < 0 || batch >= static_cast<std::int64_t>(trace.texts().size()) || head < 0 || head >= site->heads || query < 0 ||
      query >= site->queries)
    return not_found("there is no row {} of head {}, sentence {}", query, head, batch)
        .at(prefix)
        .mend("there are {} sentences, {} heads and {} queries", trace.texts().size(), site->heads, site->queries);
  RowSum row;
  row.prefix = prefix;
  row.batch = batch;
  row.head = head;
  row.query = query;
  row.d_k = site->d_k;
  HL_ASSIGN(const Tensor weights, rows_of(trace, trace.name_at(prefix, Role::weights), batch, head, query, 1));
  HL_ASSIGN(const Tensor scores, rows_of(trace, trace.name_at(prefix, Role::scores), batch, head, query, 1));
  if (const Step* step = trace.step_at(prefix, Role::weights)) row.random_weights = step->origin == Origin::random;
  const std::vector<double> w = as_doubles(weights), s = as_doubles(scores);
  HL_ASSIGN(const std::vector<double> v, values_of_query(trace, *site, batch, head, query));
  HL_ASSIGN(const std::vector<double> bias, bias_row(trace, *site, batch, head, query));
  const std::size_t d_v = w.empty() ? 0 : v.size() / w.size();

  for (std::int64_t key = 0; key < site->keys; ++key)
    if (masks::allows(site->mask.mask, batch, head, query, key)) {
      const auto j = static_cast<std::size_t>(key);
      row.parts.push_back({key, s[j], w[j], 0, bias.empty() ? 0 : bias[j], 0});
    }
  // With a fill of -1e9 a fully masked row is uniform over keys it may not see; those keys are listed, because they add up to
  // what the trace holds.
  if (row.parts.empty() && std::any_of(w.begin(), w.end(), [](double one) { return one != 0; }))
    for (std::size_t j = 0; j < w.size(); ++j) row.parts.push_back({static_cast<std::int64_t>(j), s[j], w[j], 0, 0, 0});

  const auto count = static_cast<std::int64_t>(row.parts.size());
  row.values = Tensor(DType::f32, {count, static_cast<std::int64_t>(d_v)}, {"key", "d_v"});
  row.weighted = Tensor(DType::f32, row.values.shape(), {"key", "d_v"});
  add_values(row, v, d_v);
  if (cancel.cancelled()) return cancelled();
  HL_ASSIGN(row.score_variance, variance_of_scores(trace, *site, batch, head));

  const ResidualPlace place = residual_place(trace, *site);
  row.before_step = place.before;
  row.all_step = place.output;
  row.after_step = place.after;
  row.replaces = place.replaces;
  if (!place.before.empty()) {
    HL_ASSIGN(row.before, vector_of(trace, place.before, batch, query));
  }
  if (!place.output.empty()) {
    HL_ASSIGN(row.all_add, vector_of(trace, place.output, batch, query));
  }
  if (!place.after.empty()) {
    HL_ASSIGN(row.after, vector_of(trace, place.after, batch, query));
  }
  // What goes on is the sum, or what an intervention puts in its place.
  std::vector<double> passed = row.sum;
  if (const Step* context = trace.step_at(prefix, Role::context); context && context->computed_by.is<operations::Ablate>()) {
    HL_ASSIGN(const Tensor used, rows_of(trace, context->name, batch, head, query, 1));
    passed = as_doubles(used);
  }
  if (place.mixes) return row;
  if (place.matrix.empty()) {
    row.head_adds = std::move(passed);
  } else {
    HL_ASSIGN(const Tensor matrix, trace.values(place.matrix, cancel));
    row.head_adds = through_output(passed, matrix, head);
  }
  return row;
}

std::vector<double> softmax_at(const RowSum& row, double scale, double temperature) {
  std::vector<double> out;
  double largest = -std::numeric_limits<double>::infinity(), sum = 0;
  for (const auto& part : row.parts) largest = std::max(largest, (part.score * scale + part.bias) / temperature);
  for (const auto& part : row.parts) out.push_back(std::exp((part.score * scale + part.bias) / temperature - largest));
  for (const double e : out) sum += e;
  for (double& e : out) e /= sum;
  return out;
}

Result<Movement> movement(const Trace& trace, const std::string& kind, std::int64_t batch, std::int64_t position,
                          const CancelToken& cancel) {
  Movement moved;
  std::vector<double> start, now;
  for (std::int64_t layer = 0;; ++layer) {
    if (cancel.cancelled()) return cancelled();
    const std::string prefix = kind + "layer." + std::to_string(layer) + ".";
    const AttentionSite* site = find_site(trace, prefix);
    if (!site) break;
    const ResidualPlace place = residual_place(trace, *site);
    if (place.before.empty()) return not_found("the vectors before this attention are no step of the trace").at(prefix);
    if (start.empty()) {
      HL_ASSIGN(start, vector_of(trace, place.before, batch, position));
      moved.start_length = length_of(start);
      now = start;
    }
    const auto go_to = [&](const std::string& step) -> Result<double> {
      HL_ASSIGN(std::vector<double> next, vector_of(trace, step, batch, position));
      std::vector<double> way = next;
      for (std::size_t c = 0; c < way.size() && c < now.size(); ++c) way[c] -= now[c];
      now = std::move(next);
      return length_of(way);
    };
    // The last step of each part: its residual sum, or the norm behind that, if there is one.
    const bool post = trace.document().norm == "post";
    const auto attended = [&](const AttentionSite& at) {
      return last_vectors(trace, at.prefix,
                          {Role::concat, Role::attention_output, Role::attention_residual,
                           post ? Role::attention_norm : Role::attention_residual});
    };
    Movement::Layer here;
    here.by_attention = here.by_feed_forward = kNone;
    if (const std::string step = attended(*site); !step.empty()) {
      HL_ASSIGN(here.by_attention, go_to(step));
    }
    // A decoder's layer has two attentions; `by_attention` includes the second.
    if (const AttentionSite* cross = cross_of(trace, *site)) {
      if (const std::string step = attended(*cross); !step.empty()) {
        HL_ASSIGN(const double more, go_to(step));
        here.by_attention = std::isnan(here.by_attention) ? more : here.by_attention + more;
      }
    }
    if (const std::string fed =
            last_vectors(trace, prefix, {Role::mlp_output, Role::mlp_residual, post ? Role::mlp_norm : Role::mlp_residual});
        !fed.empty()) {
      HL_ASSIGN(here.by_feed_forward, go_to(fed));
    }
    std::vector<double> way = now;
    for (std::size_t c = 0; c < way.size(); ++c) way[c] -= start[c];
    here.from_start = length_of(way);
    here.cosine = cosine_of(now, start);
    moved.layers.push_back(here);
  }
  if (moved.layers.empty()) return not_found("this model has no layer").at(kind);
  return moved;
}

}  // namespace headlight
