#include "engine/images/random_layers.h"

#include <algorithm>
#include <cmath>

#include "engine/core/parallel.h"
#include "engine/core/rng.h"
#include "engine/operations/layer_norm.h"
#include "engine/operations/linear.h"

namespace headlight::images {
namespace {

// One row of scores and its softmax.
void attend_row(const double* query, const Tensor& k, std::int64_t first, std::int64_t d_k, double* scores, double* weights) {
  const std::int64_t n = k.dim(0), d = k.dim(1);
  for (std::int64_t j = 0; j < n; ++j) {
    const double* key = k.data<double>() + j * d + first;
    double dot = 0;
    for (std::int64_t c = 0; c < d_k; ++c) dot += query[c] * key[c];
    scores[j] = dot / std::sqrt(static_cast<double>(d_k));
  }
  // Not plain::softmax: with its temperature and its test for NaN the picture takes 8% longer.
  const double largest = *std::max_element(scores, scores + n);
  double total = 0;
  for (std::int64_t j = 0; j < n; ++j) total += weights[j] = std::exp(scores[j] - largest);
  for (std::int64_t j = 0; j < n; ++j) weights[j] /= total;
}

}  // namespace

Tensor random_matrix(std::uint64_t seed, std::string_view name, std::int64_t rows, std::int64_t columns) {
  Tensor matrix(DType::f64, {rows, columns}, {"row", "column"});
  const Rng rng(seed, name);
  const double scale = 1 / std::sqrt(static_cast<double>(rows));
  double* out = matrix.data<double>();
  for (std::int64_t r = 0; r < rows; ++r)
    for (std::int64_t c = 0; c < columns; ++c)
      out[r * columns + c] = scale * rng.normal(static_cast<std::uint64_t>(r), static_cast<std::uint64_t>(c));
  return matrix;
}

Tensor times(const Tensor& x, const Tensor& w, const char* rows, const CancelToken& cancel) {
  const std::int64_t n = x.dim(0), m = x.dim(1), d = w.dim(1);
  Tensor y(DType::f64, {n, d}, {rows, "d_model"});
  const double* const no_bias = nullptr;
  parallel_for(
      n, 4,
      [&](std::int64_t begin, std::int64_t end) {
        operations::plain::linear({end - begin, m, d}, x.data<double>() + begin * m, w.data<double>(), no_bias,
                                  y.data<double>() + begin * d, cancel);
      },
      cancel);
  return y;
}

Result<Tensor> layer_norm(const Tensor& x, const CancelToken& cancel) {
  const std::int64_t d = x.dim(1);
  Tensor y(DType::f64, x.shape(), x.axes()), gamma(DType::f64, {d});
  std::fill_n(gamma.data<double>(), d, 1.0);
  const Tensor in[] = {x, gamma};
  HL_TRY(operations::compute(operations::LayerNorm{x.dim(0), d, 1e-5, false}, in, {&y, 1}, cancel));
  return y;
}

Attended attend(const Tensor& q, const Tensor& k, std::int64_t heads, const CancelToken& cancel) {
  const std::int64_t n = q.dim(0), m = k.dim(0), d = q.dim(1), d_k = d / heads;
  Attended made{Tensor(DType::f64, {heads, n, m}, {"head", "query", "key"}),
                Tensor(DType::f64, {heads, n, m}, {"head", "query", "key"})};
  const double* from = q.data<double>();
  double *scores = made.scores.data<double>(), *weights = made.weights.data<double>();
  parallel_for(
      heads * n, 8,
      [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t row = begin; row < end && !cancel.cancelled(); ++row) {
          const std::int64_t first = row / n * d_k;
          attend_row(from + row % n * d + first, k, first, d_k, scores + row * m, weights + row * m);
        }
      },
      cancel);
  return made;
}

}  // namespace headlight::images
