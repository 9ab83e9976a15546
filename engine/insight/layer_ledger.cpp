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
using Kind = LayerLedger::Kind;

void add_to(Vector& sum, const Vector& x) {
  sum.resize(std::max(sum.size(), x.size()), 0.0);
  for (std::size_t c = 0; c < x.size(); ++c) sum[c] += x[c];
}

Vector minus(Vector a, const Vector& b) {
  for (std::size_t c = 0; c < a.size() && c < b.size(); ++c) a[c] -= b[c];
  return a;
}

class Ledger {
 public:
  Ledger(const Trace& trace, std::string stack, std::int64_t layer, std::int64_t batch, std::int64_t position,
         const CancelToken& cancel)
      : trace_(trace), stack_(std::move(stack)), layer_(layer), batch_(batch), position_(position), cancel_(cancel) {
    out_.place = stack_ + "layer." + std::to_string(layer) + ".";
  }
  Result<LayerLedger> compute();

 private:
  Result<Vector> vector_of(const std::string& step) const {
    HL_ASSIGN(const Tensor row, rows_of(trace_, step, batch_, 0, position_, 1));
    return as_doubles(row);
  }
  // A row; those that are counted join the running sum.
  LayerLedger::Row& add(Kind kind, const std::string& prefix, Vector vector, bool counted = true);
  // The trace's own numbers of a sum against those of its parts.
  void compare(const Vector& sum, const Vector& own);
  Status add_start(const std::string& before);
  Status add_attention(const AttentionSite& site);
  Status add_feed_forward();
  // The norm at a place, if it stands behind the step that is the sum so far.
  Status add_norm(const std::string& prefix, Role role);
  Status look_most(LayerLedger::Row& row, const AttentionSite& site);
  bool changes(const std::string& prefix, std::int64_t head) const;
  void measure();

  const Trace& trace_;
  const std::string stack_;
  const std::int64_t layer_, batch_, position_;
  const CancelToken& cancel_;
  Vector sum_;
  std::string now_;  // the step that holds the sum so far
  LayerLedger out_;
};

LayerLedger::Row& Ledger::add(Kind kind, const std::string& prefix, Vector vector, bool counted) {
  if (counted) add_to(sum_, vector);
  LayerLedger::Row row;
  row.kind = kind;
  row.prefix = prefix;
  row.vector = std::move(vector);
  row.running = length_of(sum_);
  out_.rows.push_back(std::move(row));
  return out_.rows.back();
}

void Ledger::compare(const Vector& sum, const Vector& own) {
  for (std::size_t c = 0; c < own.size(); ++c)
    out_.difference = std::max(out_.difference, std::abs((c < sum.size() ? sum[c] : 0.0) - own[c]));
}

// E, in the first layer as the sum of the token's row and its position's.
Status Ledger::add_start(const std::string& before) {
  HL_ASSIGN(const Vector e, vector_of(before));
  const Step* const step = trace_.find(before);
  const Step* const embedding = trace_.step_at(stack_, Role::embedding);
  const Step* const position = trace_.step_at(stack_, Role::position);
  if (layer_ == 0 && step->role == Role::input && embedding && position && position->shape.size() == 2) {
    HL_ASSIGN(Vector token, vector_of(embedding->name));
    HL_ASSIGN(const Tensor rows, trace_.values(position->name, cancel_));
    add(Kind::embedding, stack_, std::move(token)).step = embedding->name;
    add(Kind::position, stack_, as_doubles(rows.slice(0, position_, position_ + 1)));
    compare(sum_, e);
  }
  sum_ = e;
  now_ = before;
  add(Kind::before, out_.place, e, false).step = before;
  return {};
}

bool Ledger::changes(const std::string& prefix, std::int64_t head) const {
  const auto& all = trace_.document().interventions;
  return std::any_of(all.begin(), all.end(), [&](const Intervention& one) {
    return one.at.covers_attention(prefix) || (head >= 0 && one.at.covers_head(prefix, head));
  });
}

Status Ledger::look_most(LayerLedger::Row& row, const AttentionSite& site) {
  HL_ASSIGN(const Tensor weights, rows_of(trace_, trace_.name_at(site.prefix, Role::weights), batch_, row.head, position_, 1));
  const Vector w = as_doubles(weights);
  const auto most = std::max_element(w.begin(), w.end());
  if (most == w.end() || *most <= 0) return {};
  row.key = most - w.begin();
  row.weight = *most;
  return {};
}

Status Ledger::add_norm(const std::string& prefix, Role role) {
  const Step* const norm = trace_.step_at(prefix, role);
  if (!norm || norm->inputs.empty() || norm->inputs.front() != now_) return {};
  HL_ASSIGN(const Vector x, vector_of(now_));
  HL_ASSIGN(const Vector y, vector_of(norm->name));
  add(Kind::norm, prefix, minus(y, x));
  now_ = norm->name;
  return {};
}

Status Ledger::add_attention(const AttentionSite& site) {
  const ResidualPlace place = residual_place(trace_, site);
  if (place.output.empty()) return not_found("what this attention adds is no step of the trace", site.prefix);
  // Heads that are mixed through tanh have no parts: the attention is one row, and that row counts.
  AttentionParts parts;
  if (!place.mixes) {
    HL_ASSIGN(parts, attention_parts(trace_, site, batch_, position_, cancel_));
  }
  if (place.replaces) {
    Vector gone = sum_;
    for (double& v : gone) v = -v;
    add(Kind::dropped, site.prefix, std::move(gone));
  }
  Vector added;
  for (std::int64_t head = 0; head < static_cast<std::int64_t>(parts.heads.size()); ++head) {
    Vector& part = parts.heads[static_cast<std::size_t>(head)];
    add_to(added, part);
    LayerLedger::Row& row = add(Kind::head, site.prefix, std::move(part));
    row.head = head;
    row.changed = changes(site.prefix, head);
    HL_TRY(look_most(row, site));
  }
  if (!parts.bias.empty()) {
    add_to(added, parts.bias);
    add(Kind::bias, site.prefix, std::move(parts.bias));
  }
  HL_ASSIGN(const Vector own, vector_of(place.output));
  if (!place.mixes) compare(added, own);
  LayerLedger::Row& sum = add(Kind::attention, site.prefix, own, place.mixes);
  sum.step = place.output;
  sum.changed = changes(site.prefix, -1);
  now_ = place.replaces ? place.output : place.after;
  return add_norm(site.prefix, Role::attention_norm);
}

Status Ledger::add_feed_forward() {
  const Step* const fed = trace_.step_at(out_.place, Role::mlp_output);
  if (!fed) return {};
  const Step* const residual = trace_.step_at(out_.place, Role::mlp_residual);
  if (!residual) {
    Vector gone = sum_;
    for (double& v : gone) v = -v;
    add(Kind::dropped, out_.place, std::move(gone));
  }
  HL_ASSIGN(Vector x, vector_of(fed->name));
  LayerLedger::Row& row = add(Kind::feed_forward, out_.place, std::move(x));
  row.step = fed->name;
  row.changed = fed->computed_by.is<operations::Ablate>();
  now_ = residual ? residual->name : fed->name;
  return add_norm(out_.place, Role::mlp_norm);
}

// Lengths, cosines, and the tolerance of the check.
void Ledger::measure() {
  Vector e;
  double largest = 0;
  for (const LayerLedger::Row& row : out_.rows) {
    if (row.kind == Kind::before) e = row.vector;
    for (const double v : row.vector) largest = std::max(largest, std::abs(v));
  }
  for (LayerLedger::Row& row : out_.rows) {
    row.length = length_of(row.vector);
    row.cosine = cosine_of(row.vector, e);
  }
  const Step* const last = trace_.find(now_);
  const double unit = last && last->dtype == DType::f64 ? std::numeric_limits<double>::epsilon()
                                                        : static_cast<double>(std::numeric_limits<float>::epsilon());
  out_.tolerance = 256 * unit * largest;
}

Result<LayerLedger> Ledger::compute() {
  const AttentionSite* const site = find_site(trace_, out_.place);
  if (!site) return not_found("this model has no such layer", out_.place, "choose one of its layers");
  if (batch_ < 0 || batch_ >= static_cast<std::int64_t>(trace_.texts().size()) || position_ < 0 || position_ >= site->queries)
    return not_found(
        "there is no token " + std::to_string(position_) + " of sentence " + std::to_string(batch_), out_.place,
        "there are " + std::to_string(trace_.texts().size()) + " sentences and " + std::to_string(site->queries) + " tokens");
  const std::string before = residual_place(trace_, *site).before;
  if (before.empty()) return not_found("the vectors before this attention are no step of the trace", out_.place);
  HL_TRY(add_start(before));
  for (const AttentionSite& one : trace_.sites())
    if (one.layer == layer_ && one.prefix.starts_with(out_.place)) HL_TRY(add_attention(one));
  HL_TRY(add_feed_forward());
  HL_ASSIGN(Vector after, vector_of(now_));
  compare(sum_, after);
  add(Kind::after, out_.place, std::move(after), false).step = now_;
  measure();
  return std::move(out_);
}

}  // namespace

Result<LayerLedger> layer_ledger(const Trace& trace, const std::string& stack, std::int64_t layer, std::int64_t batch,
                                 std::int64_t position, const CancelToken& cancel) {
  return Ledger(trace, stack, layer, batch, position, cancel).compute();
}

namespace {

Tensor as_tensor(const std::vector<Vector>& rows, std::int64_t first, std::int64_t count, Axes axes) {
  Tensor out(DType::f64, {static_cast<std::int64_t>(rows.size()), count}, std::move(axes), true);
  double* to = out.data<double>();
  for (const Vector& row : rows) to = std::copy_n(row.begin() + first, count, to);
  return out;
}

// x [rows, d_v] times the head's rows of W_O, in dimensions [first, first + count); x's own columns without a matrix.
Tensor seen_through(const std::vector<Vector>& x, const Tensor& w_o, std::int64_t head, std::int64_t first, std::int64_t count,
                    Axes axes) {
  if (w_o.empty()) return as_tensor(x, first, count, std::move(axes));
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
    return not_found(
        "there is no head " + std::to_string(head) + " of sentence " + std::to_string(batch), site.prefix,
        "there are " + std::to_string(trace.texts().size()) + " sentences and " + std::to_string(site.heads) + " heads");
  WeightedValues out;
  const ResidualPlace place = residual_place(trace, site);
  if (place.before.empty()) return not_found("the vectors before this attention are no step of the trace", site.prefix);
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
  out.before = as_tensor(before, out.first, out.count, {"query", "d_model"});
  const auto& all = trace.document().interventions;
  out.changed = std::any_of(all.begin(), all.end(), [&](const Intervention& one) {
    return !changes_pattern(one) && (one.at.covers_attention(site.prefix) || one.at.covers_head(site.prefix, head));
  });
  return out;
}

}  // namespace headlight
