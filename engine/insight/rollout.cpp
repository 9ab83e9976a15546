#include "engine/insight/rollout.h"

#include <algorithm>
#include <vector>

#include "engine/core/function_ref.h"

namespace headlight {
namespace {

// rows of the product computed together: each row of the right matrix is read once for all of them
constexpr std::int64_t kRolloutRowsAtOnce = 4;

// A square matrix, stored row by row.
struct Matrix {
  std::int64_t n = 0;
  std::vector<float> values;
  explicit Matrix(std::int64_t size) : n(size), values(static_cast<std::size_t>(size * size), 0.0f) {}
  float* row(std::int64_t i) { return values.data() + i * n; }
  const float* row(std::int64_t i) const { return values.data() + i * n; }
};

// Adds `share` times one head's values to `sum` [queries, keys].
Status add_head(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head, Role step, float share,
                std::span<float> sum) {
  Trace::Tile tile;
  tile.batch = batch;
  tile.head = head;
  HL_ASSIGN(const Tensor read, trace.tile(trace.name_at(site.prefix, step), tile));
  const Tensor values = read.as(DType::f32).compact();
  if (values.count() != static_cast<std::int64_t>(sum.size()))
    return invalid("the layers' attentions are of different sizes").at(site.prefix).mend("choose heads of one kind of attention");
  const float* in = values.data<float>();
  for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += share * in[i];
  return {};
}

// next = left * right. Rows of zeros (keys that no query of the block sees) are skipped.
Status multiply(const Matrix& left, const Matrix& right, Matrix& next, const CancelToken& cancel) {
  const std::int64_t n = left.n;
  std::fill(next.values.begin(), next.values.end(), 0.0f);
  for (std::int64_t i = 0; i < n; i += kRolloutRowsAtOnce) {
    if (cancel.cancelled()) return cancelled();
    const std::int64_t rows = std::min(kRolloutRowsAtOnce, n - i);
    for (std::int64_t k = 0; k < n; ++k) {
      const float* from = right.row(k);
      for (std::int64_t r = 0; r < rows; ++r) {
        const float factor = left.row(i + r)[k];
        if (factor == 0) continue;
        float* to = next.row(i + r);
        for (std::int64_t j = 0; j < n; ++j) to[j] += factor * from[j];
      }
    }
  }
  return {};
}

// R = A'_n ... A'_0. `add_mean(l, sum)` adds half the mean of layer l's heads to `sum` [n, n].
Result<Tensor> product_of_layers(std::int64_t layers, std::int64_t n,
                                 FunctionRef<Status(std::int64_t layer, std::span<float> sum)> add_mean,
                                 const CancelToken& cancel) {
  Matrix rollout(n), next(n);
  for (std::int64_t i = 0; i < n; ++i) rollout.row(i)[i] = 1;
  for (std::int64_t l = 0; l < layers; ++l) {
    Matrix layer(n);
    HL_TRY(add_mean(l, layer.values));
    for (std::int64_t i = 0; i < n; ++i) {
      layer.row(i)[i] += 0.5f;
      double sum = 0;
      for (std::int64_t j = 0; j < n; ++j) sum += static_cast<double>(layer.row(i)[j]);
      for (std::int64_t j = 0; j < n; ++j) layer.row(i)[j] = static_cast<float>(static_cast<double>(layer.row(i)[j]) / sum);
    }
    HL_TRY(multiply(layer, rollout, next, cancel));
    std::swap(rollout.values, next.values);
  }
  return Tensor::of(rollout.values, {n, n}, {"query", "key"});
}

}  // namespace

Result<Tensor> attention_rollout(const Trace& trace, std::span<const AttentionSite* const> layers, std::int64_t batch,
                                 const CancelToken& cancel) {
  if (layers.empty()) return invalid("there is no layer to roll attention out over").at("rollout").mend("give at least one");
  const std::int64_t n = layers.front()->queries;
  const auto add_mean = [&](std::int64_t l, std::span<float> sum) -> Status {
    const AttentionSite* const site = layers[static_cast<std::size_t>(l)];
    if (site->queries != n || site->keys != n || site->rows_are_targets != site->columns_are_targets)
      return invalid("rollout multiplies layers of one sequence's self-attention, and this attends to another sequence")
          .at(site->prefix)
          .mend("choose the encoder's or the decoder's own attention");
    for (std::int64_t head = 0; head < site->heads; ++head) {
      if (cancel.cancelled()) return cancelled();
      HL_TRY(add_head(trace, *site, batch, head, Role::weights, 0.5f / static_cast<float>(site->heads), sum));
    }
    return {};
  };
  return product_of_layers(static_cast<std::int64_t>(layers.size()), n, add_mean, cancel);
}

Result<Tensor> attention_rollout(const Tensor& weights, const CancelToken& cancel) {
  if (weights.rank() != 4 || weights.count() == 0 || weights.dim(2) != weights.dim(3))
    return invalid("a rollout is of [layer, head, query, key] with as many keys as queries, and this is {}",
                   to_string(weights.shape()))
        .at("rollout")
        .mend("give the weights of one sequence's self-attention");
  const std::int64_t heads = weights.dim(1), n = weights.dim(2);
  const auto add_mean = [&](std::int64_t l, std::span<float> sum) -> Status {
    const Tensor layer = weights.select(0, l).as(DType::f32).compact();
    const float* in = layer.data<float>();
    for (std::int64_t i = 0; i < layer.count(); ++i) {
      if (in[i] < 0)
        return invalid("a rollout is of weights, and layer {} holds a number below 0", l)
            .at("rollout")
            .mend("give the weights after the softmax");
      sum[static_cast<std::size_t>(i % (n * n))] += 0.5f / static_cast<float>(heads) * in[i];
    }
    return {};
  };
  return product_of_layers(weights.dim(0), n, add_mean, cancel);
}

Result<Tensor> mean_of_heads(const Trace& trace, std::span<const AttentionSite* const> layers, std::span<const HeadPlace> heads,
                             std::int64_t batch, Role step, const CancelToken& cancel) {
  if (heads.empty() || layers.empty())
    return invalid("there is no head to take the mean of").at("mean of heads").mend("choose at least one");
  Tensor sum(DType::f32, {layers.front()->queries, layers.front()->keys}, {"query", "key"});
  const std::span<float> into{sum.data<float>(), static_cast<std::size_t>(sum.count())};
  for (const HeadPlace& place : heads) {
    if (cancel.cancelled()) return cancelled();
    if (place.layer < 0 || place.layer >= static_cast<std::int64_t>(layers.size()))
      return not_found("there is no layer {}", place.layer).at("mean of heads");
    HL_TRY(add_head(trace, *layers[static_cast<std::size_t>(place.layer)], batch, place.head, step,
                    1.0f / static_cast<float>(heads.size()), into));
  }
  return sum;
}

}  // namespace headlight
