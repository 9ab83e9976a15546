#include "engine/operations/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <vector>

#include "engine/operations/define.h"
#include "engine/operations/dropout.h"
#include "engine/operations/softmax.h"

namespace headlight::operations {
std::array<std::int64_t, 4> mask_strides(const Shape& shape) {
  std::array<std::int64_t, 4> strides{};
  std::int64_t step = 1;
  for (std::size_t axis = 4; axis-- > 0;) {
    strides[axis] = shape[axis] == 1 ? 0 : step;
    step *= shape[axis];
  }
  return strides;
}

namespace {

// An array of [batch, head, query, key] that broadcasts; without one `values` is null.
template <class Number>
struct Cells {
  const Number* values = nullptr;
  std::array<std::int64_t, 4> step{};
  Number at(std::int64_t b, std::int64_t h, std::int64_t query, std::int64_t key) const {
    return values[b * step[0] + h * step[1] + query * step[2] + key * step[3]];
  }
};

// One query's row on its way from scores to weights.
template <class Real>
struct Row {
  explicit Row(std::size_t keys) : scores(keys), scaled(keys), masked(keys), weights(keys) {}
  std::vector<Real> scores, scaled, masked, weights;
};

template <class Real>
void keep_row(Real* kept, std::int64_t row, const std::vector<Real>& values) {
  if (!kept) return;
  const auto count = static_cast<std::int64_t>(values.size());
  for (std::int64_t j = 0; j < count; ++j) kept[row * count + j] = values[static_cast<std::size_t>(j)];
}

// One head of one batch item, one query row at a time.
template <class Real>
class Head {
 public:
  const Attention& op;
  const Real *q, *k, *v;  // of this head: [N, d_k], [M, d_k], [M, d_v], rows as far apart as the next three say
  std::int64_t q_step, k_step, v_step;
  const Real* a;  // [d_k] of an additive score, else null
  Cells<std::uint8_t> mask;
  Cells<Real> bias;
  std::optional<Draws> draws;
  std::int64_t batch, head;

  // By how much the weight of a cell is multiplied before it weighs a value.
  Real kept(std::int64_t query, std::int64_t key) const {
    if (!draws) return 1;
    const std::int64_t place = ((batch * op.heads + head) * op.queries + query) * op.keys + key;
    return draws->kept(place) ? static_cast<Real>(1 / (1 - op.dropout)) : Real(0);
  }
  Real score(std::int64_t query, std::int64_t key) const {
    const Real *x = q + query * q_step, *y = k + key * k_step;
    Real sum = 0;
    if (a) {
      for (std::int64_t i = 0; i < op.d_k; ++i) sum += a[i] * std::tanh(x[i] + y[i]);
    } else {
      for (std::int64_t i = 0; i < op.d_k; ++i) sum += x[i] * y[i];
    }
    return sum;
  }
  Real capped(Real x) const { return static_cast<Real>(op.score_cap) * std::tanh(x / static_cast<Real>(op.score_cap)); }
  void weigh(std::int64_t query, Row<Real>& row) const {
    const Real fill = op.fill == MaskFill::minus_infinity ? -std::numeric_limits<Real>::infinity() : Real(-1e9);
    for (std::int64_t j = 0; j < op.keys; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const Real dot = score(query, j);
      row.scores[at] = dot;
      row.scaled[at] = dot * static_cast<Real>(op.scale);
      if (op.score_cap > 0) row.scaled[at] = capped(row.scaled[at]);
      row.masked[at] = row.scaled[at];
      if (bias.values) row.masked[at] += bias.at(batch, head, query, j);
      if (mask.values && !mask.at(batch, head, query, j)) row.masked[at] = fill;  // replaced, not added to
    }
    plain::softmax(row.masked.data(), op.keys, op.temperature, row.weights.data());
  }
  void sum(std::int64_t query, const Row<Real>& row, Real* context) const {
    for (std::int64_t i = 0; i < op.d_v; ++i) context[i] = 0;
    for (std::int64_t j = 0; j < op.keys; ++j)
      for (std::int64_t i = 0; i < op.d_v; ++i)
        context[i] += row.weights[static_cast<std::size_t>(j)] * kept(query, j) * v[j * v_step + i];
  }
  // From the gradient by one query's context, and its weights in `row`, the gradients that it adds to.
  void descend(std::int64_t query, Row<Real>& row, const Real* dcontext, Real* dq, Real* dk, Real* dv, Real* da) const {
    std::vector<Real>& dweights = row.scores;
    Real mean = 0;  // sum over keys of weight times its gradient: what all weights of a row share, since they sum to 1
    for (std::int64_t j = 0; j < op.keys; ++j) {
      const auto at = static_cast<std::size_t>(j);
      const Real factor = kept(query, j);
      Real dot = 0;
      for (std::int64_t i = 0; i < op.d_v; ++i) {
        dot += dcontext[i] * v[j * v_step + i];
        if (dv) dv[j * v_step + i] += row.weights[at] * factor * dcontext[i];
      }
      dweights[at] = dot * factor;
      mean += row.weights[at] * dweights[at];
    }
    const auto scale = static_cast<Real>(op.scale), temperature = static_cast<Real>(op.temperature);
    for (std::int64_t j = 0; j < op.keys; ++j) {
      if (mask.values && !mask.at(batch, head, query, j)) continue;  // its score was replaced, so it has no part in it
      const auto at = static_cast<std::size_t>(j);
      Real dscore = row.weights[at] * (dweights[at] - mean) / temperature * scale;
      if (op.score_cap > 0) {  // the slope of c tanh(x / c) is 1 - tanh(x / c)^2
        const Real bent = std::tanh(score(query, j) * scale / static_cast<Real>(op.score_cap));
        dscore *= 1 - bent * bent;
      }
      for (std::int64_t i = 0; i < op.d_k; ++i) {
        const Real x = q[query * q_step + i], y = k[j * k_step + i], t = a ? std::tanh(x + y) : Real(0);
        const Real slope = a ? a[i] * (1 - t * t) : Real(0);
        if (dq) dq[query * q_step + i] += dscore * (a ? slope : y);
        if (dk) dk[j * k_step + i] += dscore * (a ? slope : x);
        if (da) da[i] += dscore * t;
      }
    }
  }
};

struct AttentionFunctions {
  static Status describe(const Attention& op, DType real, Signature& s);
  template <class Real>
  static Status compute(const Attention& op, In in, Out out, const CancelToken& cancel);
  template <class Real>
  static Status gradient(const Attention& op, const GradientArrays<Real>& g, const CancelToken& cancel);
  static void add_to(const Attention& op, Fingerprint& key) {
    const auto& [batch, heads, queries, keys, d_k, d_v, kv_heads, scale, temperature, fill, has_mask, has_bias, keep_scores,
                 keep_scaled, keep_masked, keep_weights, dropout, dropout_seed, additive, side_by_side, score_cap] = op;
    add_all(key, batch, heads, queries, keys, d_k, d_v, kv_heads, fill, has_mask, has_bias, keep_scores, keep_scaled, keep_masked,
            keep_weights);
    key.add(scale).add(temperature);
    if (dropout > 0) key.add(dropout).add(dropout_seed);
    if (additive) key.add(std::string_view("additive"));
    if (side_by_side) key.add(std::string_view("side by side"));
    if (score_cap > 0) key.add(std::string_view("score cap")).add(score_cap);
  }
  static double flops(const Attention& op, bool) {
    // Of a cell of the scores: scale, mask, maximum, subtract, exp, sum, divide.
    constexpr double kSoftmaxCell = 7;
    const double cells =
        static_cast<double>(op.batch * op.heads) * static_cast<double>(op.queries) * static_cast<double>(op.keys);
    // Of a dimension of a score: multiply, add; of an additive one add, tanh, multiply, add.
    const double score = (op.additive ? 4 : 2) * static_cast<double>(op.d_k);
    return cells * (score + 2 * static_cast<double>(op.d_v) + kSoftmaxCell);
  }
  static std::vector<Operation> examples();
};

Status AttentionFunctions::describe(const Attention& op, DType real, Signature& s) {
  HL_TRY(check_sizes(
      "attention",
      {{"batch", op.batch}, {"heads", op.heads}, {"queries", op.queries}, {"keys", op.keys}, {"d_k", op.d_k}, {"d_v", op.d_v}}));
  const std::int64_t kv_heads = op.key_heads();
  if (kv_heads < 1 || op.heads % kv_heads != 0)
    return invalid("{} query heads over {} key/value heads", op.heads, kv_heads)
        .at("attention")
        .mend("the number of key/value heads must divide the number of query heads");
  if (!std::isfinite(op.scale)) return invalid("the scale is not a finite number").at("attention");
  if (!(op.score_cap >= 0) || !std::isfinite(op.score_cap))
    return invalid("the cap of the scores is no finite number >= 0").at("attention");
  if (!(op.temperature > 0) || !std::isfinite(op.temperature))
    return invalid("the softmax temperature is {}", std::to_string(op.temperature))
        .at("attention")
        .mend("it must be greater than 0");
  const auto shape_of = [&](std::int64_t heads, std::int64_t rows, std::int64_t width) {
    return op.side_by_side ? Shape{op.batch, rows, heads * width} : Shape{op.batch, heads, rows, width};
  };
  s.input(real, shape_of(op.heads, op.queries, op.d_k));
  s.input(real, shape_of(kv_heads, op.keys, op.d_k));
  s.input(real, shape_of(kv_heads, op.keys, op.d_v));
  if (op.additive) s.input(real, {op.d_k});
  if (op.has_mask) s.mask(DType::u8, {op.batch, op.heads, op.queries, op.keys});
  if (op.has_bias) s.mask(real, {op.batch, op.heads, op.queries, op.keys});
  HL_TRY(check_dropout(op.dropout, "attention"));
  if (op.dropout > 0) s.input(DType::i32, {1});
  s.output(shape_of(op.heads, op.queries, op.d_v),
           op.side_by_side ? Axes{"batch", "position", "d"} : Axes{"batch", "head", "position", "d_k"});
  for (const bool kept : {op.keep_scores, op.keep_scaled, op.keep_masked, op.keep_weights})
    if (kept) s.output({op.batch, op.heads, op.queries, op.keys}, {"batch", "head", "query", "key"});
  return {};
}

// The head `h` of batch item `b` over the operation's inputs.
template <class Real>
Head<Real> head_of(const Attention& op, In in, std::int64_t b, std::int64_t h) {
  const std::int64_t group = op.heads / op.key_heads();  // query heads that share one key/value head
  const Attention::Rows q = op.rows_of(b, h, op.heads, op.queries, op.d_k);
  const Attention::Rows k = op.rows_of(b, h / group, op.key_heads(), op.keys, op.d_k);
  const Attention::Rows v = op.rows_of(b, h / group, op.key_heads(), op.keys, op.d_v);
  Head<Real> head{op,
                  real<Real>(in[0]) + q.first,
                  real<Real>(in[1]) + k.first,
                  real<Real>(in[2]) + v.first,
                  q.step,
                  k.step,
                  v.step,
                  op.additive ? real<Real>(in[3]) : nullptr,
                  {},
                  {},
                  {},
                  b,
                  h};
  std::size_t next = op.additive ? 4 : 3;
  if (op.has_mask) {
    head.mask = {in[next].data<std::uint8_t>(), mask_strides(in[next].shape())};
    ++next;
  }
  if (op.has_bias) {
    head.bias = {real<Real>(in[next]), mask_strides(in[next].shape())};
    ++next;
  }
  if (op.dropout > 0) head.draws.emplace(op.dropout, op.dropout_seed, in[next].data<std::int32_t>()[0]);
  return head;
}

template <class Real>
Status AttentionFunctions::compute(const Attention& op, In in, Out out, const CancelToken& cancel) {
  Real* kept[4] = {};
  std::size_t output = 1;
  const bool keep[] = {op.keep_scores, op.keep_scaled, op.keep_masked, op.keep_weights};
  for (std::size_t i = 0; i < 4; ++i)
    if (keep[i]) kept[i] = real<Real>(out[output++]);

  Row<Real> row(static_cast<std::size_t>(op.keys));
  for (std::int64_t b = 0; b < op.batch; ++b)
    for (std::int64_t h = 0; h < op.heads; ++h) {
      const Head<Real> head = head_of<Real>(op, in, b, h);
      const Attention::Rows context = op.rows_of(b, h, op.heads, op.queries, op.d_v);
      for (std::int64_t query = 0; query < op.queries; ++query) {
        if (cancel.cancelled()) return cancelled();
        head.weigh(query, row);
        const std::int64_t at = (b * op.heads + h) * op.queries + query;
        head.sum(query, row, real<Real>(out[0]) + context.first + query * context.step);
        const std::vector<Real>* const stages[] = {&row.scores, &row.scaled, &row.masked, &row.weights};
        for (std::size_t i = 0; i < 4; ++i) keep_row(kept[i], at, *stages[i]);
      }
    }
  return {};
}

template <class Real>
Status AttentionFunctions::gradient(const Attention& op, const GradientArrays<Real>& g, const CancelToken& cancel) {
  const std::int64_t group = op.heads / op.key_heads();
  const std::int64_t of_keys = op.batch * op.key_heads() * op.keys;
  if (g.d[0]) std::fill_n(g.d[0], op.batch * op.heads * op.queries * op.d_k, Real(0));
  if (g.d[1]) std::fill_n(g.d[1], of_keys * op.d_k, Real(0));
  if (g.d[2]) std::fill_n(g.d[2], of_keys * op.d_v, Real(0));
  Real* const da = op.additive ? g.d[3] : nullptr;
  if (da) std::fill_n(da, op.d_k, Real(0));
  Row<Real> row(static_cast<std::size_t>(op.keys));
  for (std::int64_t b = 0; b < op.batch; ++b)
    for (std::int64_t h = 0; h < op.heads; ++h) {
      const Head<Real> head = head_of<Real>(op, g.in, b, h);
      const std::int64_t own = b * op.heads + h;
      const Attention::Rows context = op.rows_of(b, h, op.heads, op.queries, op.d_v);
      const auto of_head = [&](Real* all, std::int64_t head_in, std::int64_t heads, std::int64_t rows, std::int64_t width) {
        return all ? all + op.rows_of(b, head_in, heads, rows, width).first : nullptr;
      };
      for (std::int64_t query = 0; query < op.queries; ++query) {
        if (cancel.cancelled()) return cancelled();
        if (op.keep_weights)
          std::copy_n(real<Real>(g.out.back()) + (own * op.queries + query) * op.keys, op.keys, row.weights.data());
        else
          head.weigh(query, row);
        head.descend(query, row, g.dy + context.first + query * context.step, of_head(g.d[0], h, op.heads, op.queries, op.d_k),
                     of_head(g.d[1], h / group, op.key_heads(), op.keys, op.d_k),
                     of_head(g.d[2], h / group, op.key_heads(), op.keys, op.d_v), da);
      }
    }
  return {};
}

std::vector<Operation> AttentionFunctions::examples() {
  Attention grouped{1, 4, 3, 5, 8, 8};
  grouped.kv_heads = 2;
  grouped.has_mask = grouped.keep_weights = true;
  Attention both{2, 2, 3, 5, 8, 6};
  both.has_mask = both.has_bias = both.keep_masked = both.keep_weights = true;
  both.scale = 0.5;
  Attention replaced = both;
  replaced.fill = MaskFill::minus_1e9;
  replaced.temperature = 2;
  Attention dropped = grouped;
  dropped.dropout = 0.25;
  dropped.dropout_seed = 3;
  Attention additive = both, added = grouped;
  additive.additive = added.additive = true;
  added.dropout = 0.25;
  added.keep_scores = true;
  Attention beside = both, grouped_beside = dropped, additive_beside = additive;
  beside.side_by_side = grouped_beside.side_by_side = additive_beside.side_by_side = true;
  Attention capped = both, capped_grouped = grouped;
  capped.score_cap = 2;
  capped.keep_scores = capped.keep_scaled = true;
  capped_grouped.score_cap = 0.5;
  return {grouped, both, replaced, dropped, additive, added, beside, grouped_beside, additive_beside, capped_grouped, capped};
}

}  // namespace

template <>
const Kind& kind_of<Attention>() {
  static const Kind kind = make_kind<Attention, AttentionFunctions>(
      "attention", "scaled dot-product attention", "context = softmax(mask(q k^T scale + bias) / temperature) v",
      "Vaswani et al. 2017, 3.2; additive: Bahdanau et al. 2015, A.1.2");
  return kind;
}

}  // namespace headlight::operations
