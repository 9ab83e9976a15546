// Scaled dot-product attention, one query row at a time.
#include <cmath>
#include <limits>
#include <vector>

#include "engine/backends/base/checks.h"
#include "engine/backends/reference/operations.h"

namespace headlight::backends::reference {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

void keep_row(double* kept, std::int64_t row, const std::vector<double>& values) {
  if (!kept) return;
  for (std::size_t j = 0; j < values.size(); ++j)
    kept[row * static_cast<std::int64_t>(values.size()) + static_cast<std::int64_t>(j)] = values[j];
}

}  // namespace

void softmax(const double* scores, std::int64_t count, double temperature, double* weights) {
  // The largest score is taken off first, so that exp never overflows; the quotient is the same.
  double largest = -kInfinity;
  bool any_nan = false;
  for (std::int64_t j = 0; j < count; ++j) {
    if (std::isnan(scores[j])) any_nan = true;
    if (scores[j] > largest) largest = scores[j];
  }
  // Nothing may be attended to: 0/0 by the formula, all zeros by our definition.
  if (largest == -kInfinity && !any_nan) {
    for (std::int64_t j = 0; j < count; ++j) weights[j] = 0;
    return;
  }
  double sum = 0;
  for (std::int64_t j = 0; j < count; ++j) {
    weights[j] = std::exp((scores[j] - largest) / temperature);
    sum += weights[j];
  }
  for (std::int64_t j = 0; j < count; ++j) weights[j] = any_nan ? std::nan("") : weights[j] / sum;
}

bool attention(const Attention& op, const AttentionArrays& a, const CancelToken& cancel) {
  const std::int64_t kv_heads = op.kv_heads == 0 ? op.heads : op.kv_heads;
  const std::int64_t group = op.heads / kv_heads;  // query heads that share one key/value head
  const double fill = op.fill == MaskFill::minus_infinity ? -kInfinity : -1e9;
  const auto mask_step = op.has_mask ? mask_strides(a.mask_shape) : std::array<std::int64_t, 4>{};
  const auto keys = static_cast<std::size_t>(op.keys);
  std::vector<double> scores(keys), scaled(keys), masked(keys), weights(keys);

  for (std::int64_t b = 0; b < op.batch; ++b) {
    for (std::int64_t h = 0; h < op.heads; ++h) {
      const double* k = a.k + (b * kv_heads + h / group) * op.keys * op.d_k;
      const double* v = a.v + (b * kv_heads + h / group) * op.keys * op.d_v;
      for (std::int64_t query = 0; query < op.queries; ++query) {
        if (cancel.cancelled()) return false;
        const std::int64_t row = (b * op.heads + h) * op.queries + query;
        const double* q = a.q + row * op.d_k;
        for (std::size_t j = 0; j < keys; ++j) {
          double dot = 0;
          for (std::int64_t i = 0; i < op.d_k; ++i) dot += q[i] * k[static_cast<std::int64_t>(j) * op.d_k + i];
          scores[j] = dot;
          scaled[j] = dot * op.scale;
          masked[j] = scaled[j];
          if (op.has_mask) {
            const std::int64_t cell =
                b * mask_step[0] + h * mask_step[1] + query * mask_step[2] + static_cast<std::int64_t>(j) * mask_step[3];
            if (op.mask_is_additive) {
              masked[j] = scaled[j] + a.bias[cell];
            } else if (!a.keep[cell]) {
              masked[j] = fill;  // replaced, not added to
            }
          }
        }
        softmax(masked.data(), op.keys, op.temperature, weights.data());

        double* context = a.context + row * op.d_v;
        for (std::int64_t i = 0; i < op.d_v; ++i) context[i] = 0;
        for (std::size_t j = 0; j < keys; ++j) {
          for (std::int64_t i = 0; i < op.d_v; ++i) context[i] += weights[j] * v[static_cast<std::int64_t>(j) * op.d_v + i];
        }
        keep_row(a.scores, row, scores);
        keep_row(a.scaled, row, scaled);
        keep_row(a.masked, row, masked);
        keep_row(a.weights, row, weights);
      }
    }
  }
  return true;
}

}  // namespace headlight::backends::reference
