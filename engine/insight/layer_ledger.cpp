#include "engine/insight/layer_ledger.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/insight/attention_parts.h"
#include "engine/insight/explain.h"
#include "engine/insight/residual_stream.h"
#include "engine/operations/ablate.h"
#include "engine/operations/relative_rows.h"

namespace headlight {
namespace {

using Vector = std::vector<double>;
using RowKind = LayerLedger::Kind;

void add_to(Vector& sum, const Vector& x) {
  sum.resize(std::max(sum.size(), x.size()), 0.0);
  for (std::size_t c = 0; c < x.size(); ++c) sum[c] += x[c];
}

Vector minus(Vector a, const Vector& b) {
  for (std::size_t c = 0; c < a.size() && c < b.size(); ++c) a[c] -= b[c];
  return a;
}

}  // namespace

Result<LayerLedger> layer_ledger(const Trace& trace, const std::string& stack, std::int64_t layer, std::int64_t batch,
                                 std::int64_t position, const CancelToken& cancel) {
  const std::string place = stack + "layer." + std::to_string(layer) + ".";
  const AttentionSite* const site = find_site(trace, place);
  if (!site) return not_found("this model has no such layer").at(place).mend("choose one of its layers");
  if (batch < 0 || batch >= static_cast<std::int64_t>(trace.texts().size()) || position < 0 || position >= site->queries)
    return not_found("there is no token {} of sentence {}", position, batch)
        .at(place)
        .mend("there are {} sentences and {} tokens", trace.texts().size(), site->queries);
  const std::string before = residual_place(trace, *site).before;
  if (before.empty()) return not_found("the vectors before this attention are no step of the trace").at(place);

  LayerLedger out;
  out.place = place;
  Vector sum;                // so far
  std::string now = before;  // the step that holds it
  const auto vector_of = [&](const std::string& step) -> Result<Vector> {
    HL_ASSIGN(const Tensor row, rows_of(trace, step, batch, 0, position, 1));
    return as_doubles(row);
  };
  // A row; those that are counted join the running sum.
  const auto add = [&](RowKind kind, const std::string& prefix, Vector vector, bool counted = true) -> LayerLedger::Row& {
    if (counted) add_to(sum, vector);
    LayerLedger::Row row;
    row.kind = kind;
    row.prefix = prefix;
    row.vector = std::move(vector);
    row.running = length_of(sum);
    out.rows.push_back(std::move(row));
    return out.rows.back();
  };
  // The sum so far goes: what follows replaces it.
  const auto drop = [&](const std::string& prefix) {
    Vector gone = sum;
    for (double& v : gone) v = -v;
    add(RowKind::dropped, prefix, std::move(gone));
  };
  // The trace's own numbers of a sum against those of its parts.
  const auto compare = [&](const Vector& parts, const Vector& own) {
    for (std::size_t c = 0; c < own.size(); ++c)
      out.difference = std::max(out.difference, std::abs((c < parts.size() ? parts[c] : 0.0) - own[c]));
  };
  // The norm at a place, if it stands behind the step that is the sum so far.
  const auto add_norm = [&](const std::string& prefix, Role role) -> Status {
    const Step* const norm = trace.step_at(prefix, role);
    if (!norm || norm->inputs.empty() || norm->inputs.front() != now) return {};
    HL_ASSIGN(const Vector x, vector_of(now));
    HL_ASSIGN(const Vector y, vector_of(norm->name));
    add(RowKind::norm, prefix, minus(y, x));
    now = norm->name;
    return {};
  };
  const auto changes = [&](const std::string& prefix, std::int64_t head) {
    const auto& all = trace.document().interventions;
    return std::any_of(all.begin(), all.end(), [&](const Intervention& one) {
      return one.at.covers_attention(prefix) || (head >= 0 && one.at.covers_head(prefix, head));
    });
  };

  // E, in the first layer as the sum of the token's row and its position's.
  HL_ASSIGN(const Vector e, vector_of(before));
  const Step* const step = trace.find(before);
  const Step* const embedding = trace.step_at(stack, Role::embedding);
  const Step* const places = trace.step_at(stack, Role::position);
  if (layer == 0 && step->role == Role::input && embedding && places && places->shape.size() == 2) {
    HL_ASSIGN(Vector token, vector_of(embedding->name));
    HL_ASSIGN(const Tensor rows, trace.values(places->name, cancel));
    add(RowKind::embedding, stack, std::move(token)).step = embedding->name;
    add(RowKind::position, stack, as_doubles(rows.slice(0, position, position + 1)));
    compare(sum, e);
  }
  sum = e;
  add(RowKind::before, place, e, false).step = before;

  for (const AttentionSite& one : trace.sites()) {
    if (one.layer != layer || !one.prefix.starts_with(place)) continue;
    const ResidualPlace residual = residual_place(trace, one);
    if (residual.output.empty()) return not_found("what this attention adds is no step of the trace").at(one.prefix);
    // Heads that are mixed through tanh have no parts: the attention is one row, and that row counts.
    AttentionParts parts;
    if (!residual.mixes) {
      HL_ASSIGN(parts, attention_parts(trace, one, batch, position, cancel));
    }
    if (residual.replaces) drop(one.prefix);
    Vector added;
    for (std::int64_t head = 0; head < static_cast<std::int64_t>(parts.heads.size()); ++head) {
      Vector& part = parts.heads[static_cast<std::size_t>(head)];
      add_to(added, part);
      LayerLedger::Row& row = add(RowKind::head, one.prefix, std::move(part));
      row.head = head;
      row.changed = changes(one.prefix, head);
      HL_ASSIGN(const Tensor weights, rows_of(trace, trace.name_at(one.prefix, Role::weights), batch, row.head, position, 1));
      const Vector w = as_doubles(weights);
      const auto most = std::max_element(w.begin(), w.end());
      if (most != w.end() && *most > 0) {
        row.key = most - w.begin();
        row.weight = *most;
      }
    }
    if (!parts.bias.empty()) {
      add_to(added, parts.bias);
      add(RowKind::bias, one.prefix, std::move(parts.bias));
    }
    HL_ASSIGN(const Vector own, vector_of(residual.output));
    if (!residual.mixes) compare(added, own);
    LayerLedger::Row& whole = add(RowKind::attention, one.prefix, own, residual.mixes);
    whole.step = residual.output;
    whole.changed = changes(one.prefix, -1);
    now = residual.replaces ? residual.output : residual.after;
    HL_TRY(add_norm(one.prefix, Role::attention_norm));
  }

  if (const Step* const fed = trace.step_at(place, Role::mlp_output)) {
    const Step* const residual = trace.step_at(place, Role::mlp_residual);
    if (!residual) drop(place);
    HL_ASSIGN(Vector x, vector_of(fed->name));
    LayerLedger::Row& row = add(RowKind::feed_forward, place, std::move(x));
    row.step = fed->name;
    row.changed = fed->computed_by.is<operations::Ablate>();
    now = residual ? residual->name : fed->name;
    HL_TRY(add_norm(place, Role::mlp_norm));
  }

  HL_ASSIGN(Vector after, vector_of(now));
  compare(sum, after);
  add(RowKind::after, place, std::move(after), false).step = now;

  // Lengths, cosines, and the tolerance of the check.
  double largest = 0;
  for (const LayerLedger::Row& row : out.rows)
    for (const double v : row.vector) largest = std::max(largest, std::abs(v));
  for (LayerLedger::Row& row : out.rows) {
    row.length = length_of(row.vector);
    row.cosine = cosine_of(row.vector, e);
  }
  const Step* const last = trace.find(now);
  const double unit = last && last->dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                                                        : static_cast<double>(std::numeric_limits<float>::epsilon());
  out.tolerance = 256 * unit * largest;
  return out;
}

namespace {

Tensor layer_ledger_as_tensor(const std::vector<Vector>& rows, std::int64_t first, std::int64_t count, Axes axes) {
  Tensor out(DType::f64, {static_cast<std::int64_t>(rows.size()), count}, std::move(axes), true);
  double* to = out.data<double>();
  for (const Vector& row : rows) to = std::copy_n(row.begin() + first, count, to);
  return out;
}

// x [rows, d_v] times the head's rows of W_O, in dimensions [first, first + count); x's own columns without a matrix.
Tensor seen_through(const std::vector<Vector>& x, const Tensor& w_o, std::int64_t head, std::int64_t first, std::int64_t count,
                    Axes axes) {
  if (w_o.empty()) return layer_ledger_as_tensor(x, first, count, std::move(axes));
  const auto d_v = static_cast<std::int64_t>(x.front().size());
  const Vector w = as_doubles(w_o.slice(0, head * d_v, (head + 1) * d_v).slice(1, first, first + count));
  Tensor out(DType::f64, {static_cast<std::int64_t>(x.size()), count}, std::move(axes));
  double* to = out.data<double>();
  for (const Vector& row : x) {
    for (std::size_t i = 0; i < row.size(); ++i)
      for (std::int64_t c = 0; c < count; ++c)
        to[c] += row[i] * w[i * static_cast<std::size_t>(count) + static_cast<std::size_t>(c)];
    to += count;
  }
  return out;
}

Result<std::vector<Vector>> all_rows(const Trace& trace, const std::string& step, std::int64_t batch, std::int64_t head) {
  HL_ASSIGN(const Tensor tile, rows_of(trace, step, batch, head, 0, -1));
  const Vector all = as_doubles(tile);
  const auto columns = static_cast<std::ptrdiff_t>(tile.dim(1));
  std::vector<Vector> rows(static_cast<std::size_t>(tile.dim(0)));
  for (std::size_t r = 0; r < rows.size(); ++r) {
    const auto from = all.begin() + static_cast<std::ptrdiff_t>(r) * columns;
    rows[r].assign(from, from + columns);
  }
  return rows;
}

}  // namespace

double WeightedValues::value(std::int64_t query, std::int64_t key, std::int64_t dimension) const {
  const double own = values.at({key, dimension});
  return by_distance.empty() ? own : own + by_distance.at({operations::relative_row(query, key, clip), dimension});
}

Result<WeightedValues> weighted_values(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                       std::int64_t first, std::int64_t count, const CancelToken& cancel) {
  if (batch < 0 || batch >= static_cast<std::int64_t>(trace.texts().size()) || head < 0 || head >= site.heads)
    return not_found("there is no head {} of sentence {}", head, batch)
        .at(site.prefix)
        .mend("there are {} sentences and {} heads", trace.texts().size(), site.heads);
  WeightedValues out;
  const ResidualPlace place = residual_place(trace, site);
  if (place.before.empty()) return not_found("the vectors before this attention are no step of the trace").at(site.prefix);
  if (place.mixes) return heads_are_mixed(site);
  HL_ASSIGN(const std::vector<Vector> before, all_rows(trace, place.before, batch, 0));
  const auto d = static_cast<std::int64_t>(before.front().size());
  out.first = std::clamp<std::int64_t>(first, 0, d - 1);
  out.count = std::clamp<std::int64_t>(count, 1, d - out.first);
  Tensor w_o;
  if (!place.matrix.empty()) {
    HL_ASSIGN(w_o, trace.values(place.matrix, cancel));
  }
  HL_ASSIGN(const std::vector<Vector> v, all_rows(trace, site.v, batch, head / (site.heads / site.kv_heads)));
  HL_ASSIGN(const std::vector<Vector> passed, passed_by_head(trace, site, batch, head, 0, -1));
  if (cancel.cancelled()) return cancelled();
  HL_ASSIGN(const Tensor weights, rows_of(trace, trace.name_at(site.prefix, Role::weights), batch, head, 0, -1));
  out.weights = weights.as(DType::f64).compact();
  out.values = seen_through(v, w_o, head, out.first, out.count, {"key", "d_model"});
  if (!site.relative_values.empty()) {
    HL_ASSIGN(const std::vector<Vector> rows, all_rows(trace, site.relative_values, 0, 0));
    out.by_distance = seen_through(rows, w_o, head, out.first, out.count, {"distance", "d_model"});
    out.clip = site.relative_clip;
  }
  out.sums = seen_through(passed, w_o, head, out.first, out.count, {"query", "d_model"});
  out.before = layer_ledger_as_tensor(before, out.first, out.count, {"query", "d_model"});
  const auto& all = trace.document().interventions;
  out.changed = std::any_of(all.begin(), all.end(), [&](const Intervention& one) {
    return !changes_pattern(one) && (one.at.covers_attention(site.prefix) || one.at.covers_head(site.prefix, head));
  });
  return out;
}

}  // namespace headlight
