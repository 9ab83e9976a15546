#include "engine/recurrence/linear_attention.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

namespace headlight::recurrence {
namespace {

enum class Similarity { elu, relu, squared };

// One row's features, and what their gradient does to the row's.
struct Features {
  Similarity similarity = Similarity::elu;
  std::int64_t d = 0;
  std::int64_t count() const { return similarity == Similarity::squared ? d * (d + 1) / 2 : d; }

  void of(const double* x, std::vector<double>& phi) const {
    phi.resize(static_cast<std::size_t>(count()));
    std::size_t at = 0;
    for (std::int64_t i = 0; i < d; ++i) {
      if (similarity != Similarity::squared) {
        phi[at++] = x[i] > 0                        ? x[i] + (similarity == Similarity::elu ? 1 : 0)
                    : similarity == Similarity::elu ? std::exp(x[i])
                                                    : 0;
        continue;
      }
      for (std::int64_t j = i; j < d; ++j) phi[at++] = x[i] * x[j] * (i == j ? 1 : std::numbers::sqrt2);
    }
  }

  // dx += (d phi / d x)^T d_phi
  void back(const double* x, const std::vector<double>& d_phi, double* dx) const {
    std::size_t at = 0;
    for (std::int64_t i = 0; i < d; ++i) {
      if (similarity != Similarity::squared) {
        dx[i] += d_phi[at++] * (x[i] > 0 ? 1 : similarity == Similarity::elu ? std::exp(x[i]) : 0);
        continue;
      }
      for (std::int64_t j = i; j < d; ++j) {
        const double one = d_phi[at++] * (i == j ? 1 : std::numbers::sqrt2);
        dx[i] += one * x[j];
        dx[j] += one * x[i];
      }
    }
  }
};

Result<Features> features_of(const std::string& similarity, std::initializer_list<const Tensor*> rows) {
  const Shape& shape = (*rows.begin())->shape();
  for (const Tensor* one : rows)
    if (one->shape() != shape || shape.size() != 2 || one->dtype() != DType::f64 || !one->contiguous())
      return usage_error("q, k and v differ in shape")
          .at("linear attention")
          .mend("give three arrays of as many rows and columns");
  if (similarity == "elu+1") return Features{Similarity::elu, shape[1]};
  if (similarity == "relu") return Features{Similarity::relu, shape[1]};
  if (similarity == "squared") return Features{Similarity::squared, shape[1]};
  return usage_error("'{}' has no finite features", similarity).at("linear attention").mend("give elu+1, relu or squared");
}

// S [F, d] and z [F], sums over steps of outer products and of their first factors.
struct Sums {
  std::int64_t d;
  std::vector<double> matrix, vector;
  Sums(std::int64_t features, std::int64_t columns)
      : d(columns), matrix(static_cast<std::size_t>(features * columns), 0.0), vector(static_cast<std::size_t>(features), 0.0) {}
  void add(const std::vector<double>& phi, const double* row, double weight) {
    for (std::size_t f = 0; f < phi.size(); ++f) {
      for (std::int64_t c = 0; c < d; ++c)
        matrix[f * static_cast<std::size_t>(d) + static_cast<std::size_t>(c)] += phi[f] * row[c];
      vector[f] += phi[f] * weight;
    }
  }
  // S^T phi, and z . phi
  double read(const std::vector<double>& phi, std::vector<double>& out) const {
    double below = 0;
    out.assign(static_cast<std::size_t>(d), 0.0);
    for (std::size_t f = 0; f < phi.size(); ++f) {
      below += phi[f] * vector[f];
      for (std::size_t c = 0; c < out.size(); ++c) out[c] += phi[f] * matrix[f * out.size() + c];
    }
    return below;
  }
};

}  // namespace

Result<Tensor> linear_attention(const std::string& similarity, const Tensor& q, const Tensor& k, const Tensor& v) {
  HL_ASSIGN(const Features features, features_of(similarity, {&q, &k, &v}));
  const std::int64_t steps = q.dim(0), d = q.dim(1);
  Tensor out(DType::f64, {steps, d}, {"step", "d_v"});
  Sums sums(features.count(), d);
  std::vector<double> phi, above;
  for (std::int64_t t = 0; t < steps; ++t) {
    features.of(k.data<double>() + t * d, phi);
    sums.add(phi, v.data<double>() + t * d, 1);
    features.of(q.data<double>() + t * d, phi);
    const double below = sums.read(phi, above);
    for (std::int64_t c = 0; c < d; ++c)
      out.data<double>()[t * d + c] = below > 0 ? above[static_cast<std::size_t>(c)] / below : 0;
  }
  return out;
}

Result<AttentionGradients> linear_attention_gradients(const std::string& similarity, const Tensor& q, const Tensor& k,
                                                      const Tensor& v, const Tensor& d_out) {
  HL_ASSIGN(const Features features, features_of(similarity, {&q, &k, &v, &d_out}));
  const std::int64_t steps = q.dim(0), d = q.dim(1);
  const auto row = [d](const Tensor& rows, std::int64_t t) { return rows.data<double>() + t * d; };
  AttentionGradients g;
  for (Tensor* one : {&g.q, &g.k, &g.v}) *one = Tensor(DType::f64, {steps, d}, {"step", "d_v"});
  // With out = a / b: the gradient of a is d_out / b, that of b is -<d_out, out> / b.
  Sums sums(features.count(), d);
  std::vector<double> phi, above, d_phi, d_above(static_cast<std::size_t>(steps * d), 0.0),
      d_below(static_cast<std::size_t>(steps), 0.0);
  for (std::int64_t t = 0; t < steps; ++t) {
    features.of(row(k, t), phi);
    sums.add(phi, row(v, t), 1);
    features.of(row(q, t), phi);
    const double below = sums.read(phi, above);
    if (!(below > 0)) continue;
    double* const da = d_above.data() + t * d;
    double& db = d_below[static_cast<std::size_t>(t)];
    for (std::int64_t c = 0; c < d; ++c) {
      da[c] = row(d_out, t)[c] / below;
      db -= da[c] * above[static_cast<std::size_t>(c)] / below;
    }
    d_phi.assign(phi.size(), 0.0);
    for (std::size_t f = 0; f < phi.size(); ++f) {
      d_phi[f] = db * sums.vector[f];
      for (std::int64_t c = 0; c < d; ++c)
        d_phi[f] += da[c] * sums.matrix[f * static_cast<std::size_t>(d) + static_cast<std::size_t>(c)];
    }
    features.back(row(q, t), d_phi, g.q.data<double>() + t * d);
  }
  // Every later query reads what step t has added.
  Sums later(features.count(), d);
  for (std::int64_t t = steps - 1; t >= 0; --t) {
    features.of(row(q, t), phi);
    later.add(phi, d_above.data() + t * d, d_below[static_cast<std::size_t>(t)]);
    features.of(row(k, t), phi);
    later.read(phi, above);
    std::copy(above.begin(), above.end(), g.v.data<double>() + t * d);
    d_phi = later.vector;
    for (std::size_t f = 0; f < phi.size(); ++f)
      for (std::int64_t c = 0; c < d; ++c)
        d_phi[f] += later.matrix[f * static_cast<std::size_t>(d) + static_cast<std::size_t>(c)] * row(v, t)[c];
    features.back(row(k, t), d_phi, g.k.data<double>() + t * d);
  }
  return g;
}

}  // namespace headlight::recurrence
