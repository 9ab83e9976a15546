#include "engine/recurrence/attention_network.h"

#include <algorithm>
#include <cmath>

#include "engine/core/rng.h"
#include "engine/recurrence/linear_attention.h"

namespace headlight::recurrence {
namespace {

constexpr std::int64_t kLayers = 2;
constexpr const char* kSimilarity = "elu+1";

// Where each matrix begins.
struct Places {
  std::int64_t d, symbols;
  std::int64_t matrix(std::int64_t layer, std::int64_t which) const { return symbols * d + (4 * layer + which) * d * d; }
  std::int64_t read_out() const { return matrix(kLayers, 0); }
  std::int64_t bias() const { return read_out() + symbols * d; }
  std::int64_t count() const { return bias() + symbols; }
};
enum Which : std::int64_t { kQuery, kKey, kValue, kOut };

// x W^T of rows x [T, in], W [out, in].
Tensor product(const Tensor& x, const double* w, std::int64_t out) {
  const std::int64_t steps = x.dim(0), in = x.dim(1);
  Tensor y(DType::f64, {steps, out});
  for (std::int64_t t = 0; t < steps; ++t)
    for (std::int64_t r = 0; r < out; ++r) {
      double sum = 0;
      for (std::int64_t c = 0; c < in; ++c) sum += w[r * in + c] * x.data<double>()[t * in + c];
      y.data<double>()[t * out + r] = sum;
    }
  return y;
}

// dw += dy^T x, dx += dy W.
void product_back(const Tensor& x, const double* w, const Tensor& dy, double* dw, Tensor& dx) {
  const std::int64_t steps = x.dim(0), in = x.dim(1), out = dy.dim(1);
  for (std::int64_t t = 0; t < steps; ++t)
    for (std::int64_t r = 0; r < out; ++r) {
      const double d = dy.data<double>()[t * out + r];
      for (std::int64_t c = 0; c < in; ++c) {
        dw[r * in + c] += d * x.data<double>()[t * in + c];
        dx.data<double>()[t * in + c] += d * w[r * in + c];
      }
    }
}

double row_dot(const double* a, const double* b, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += a[i] * b[i];
  return sum;
}

// Softmax of the scores of step t's query with the keys up to t.
std::vector<double> weights_of(const Tensor& q, const Tensor& k, std::int64_t t) {
  const std::int64_t d = q.dim(1);
  std::vector<double> weights;
  double largest = -INFINITY, sum = 0;
  for (std::int64_t j = 0; j <= t; ++j) {
    weights.push_back(row_dot(q.data<double>() + t * d, k.data<double>() + j * d, d) / std::sqrt(static_cast<double>(d)));
    largest = std::max(largest, weights.back());
  }
  for (double& one : weights) sum += one = std::exp(one - largest);
  for (double& one : weights) one /= sum;
  return weights;
}

Tensor softmax_attention(const Tensor& q, const Tensor& k, const Tensor& v) {
  const std::int64_t steps = q.dim(0), d = q.dim(1);
  Tensor out(DType::f64, {steps, d});
  for (std::int64_t t = 0; t < steps; ++t) {
    const std::vector<double> weights = weights_of(q, k, t);
    for (std::int64_t j = 0; j <= t; ++j)
      for (std::int64_t c = 0; c < d; ++c)
        out.data<double>()[t * d + c] += weights[static_cast<std::size_t>(j)] * v.data<double>()[j * d + c];
  }
  return out;
}

AttentionGradients softmax_gradients(const Tensor& q, const Tensor& k, const Tensor& v, const Tensor& d_out) {
  const std::int64_t steps = q.dim(0), d = q.dim(1);
  const double scale = 1 / std::sqrt(static_cast<double>(d));
  AttentionGradients g;
  for (Tensor* one : {&g.q, &g.k, &g.v}) *one = Tensor(DType::f64, {steps, d});
  for (std::int64_t t = 0; t < steps; ++t) {
    const std::vector<double> weights = weights_of(q, k, t);
    const double* const dy = d_out.data<double>() + t * d;
    std::vector<double> d_weights;
    double mean = 0;
    for (std::int64_t j = 0; j <= t; ++j) {
      d_weights.push_back(row_dot(dy, v.data<double>() + j * d, d));
      mean += weights[static_cast<std::size_t>(j)] * d_weights.back();
    }
    for (std::int64_t j = 0; j <= t; ++j) {
      const double w = weights[static_cast<std::size_t>(j)],
                   d_score = scale * w * (d_weights[static_cast<std::size_t>(j)] - mean);
      for (std::int64_t c = 0; c < d; ++c) {
        g.v.data<double>()[j * d + c] += w * dy[c];
        g.q.data<double>()[t * d + c] += d_score * k.data<double>()[j * d + c];
        g.k.data<double>()[j * d + c] += d_score * q.data<double>()[t * d + c];
      }
    }
  }
  return g;
}

// p_t: sine and cosine of t / 10000^(2 i / d) in turns.
double position(std::int64_t t, std::int64_t c, std::int64_t d) {
  const double angle = static_cast<double>(t) / std::pow(10000.0, static_cast<double>(c - c % 2) / static_cast<double>(d));
  return c % 2 == 0 ? std::sin(angle) : std::cos(angle);
}

// Every row divided by the root of its numbers' mean square (Zhang and Sennrich 2019), which the norms are.
Tensor normed(const Tensor& x, std::vector<double>& norms) {
  const std::int64_t d = x.dim(1);
  Tensor y(DType::f64, x.shape());
  norms.clear();
  for (std::int64_t t = 0; t < x.dim(0); ++t) {
    const double* const row = x.data<double>() + t * d;
    norms.push_back(std::sqrt(row_dot(row, row, d) / static_cast<double>(d) + 1e-5));
    for (std::int64_t c = 0; c < d; ++c) y.data<double>()[t * d + c] = row[c] / norms.back();
  }
  return y;
}

// dx += what dy is before the rows were divided.
void normed_back(const Tensor& y, const std::vector<double>& norms, const Tensor& dy, Tensor& dx) {
  const std::int64_t d = y.dim(1);
  for (std::int64_t t = 0; t < y.dim(0); ++t) {
    const double *const out = y.data<double>() + t * d, *const d_out = dy.data<double>() + t * d;
    const double mean = row_dot(out, d_out, d) / static_cast<double>(d), norm = norms[static_cast<std::size_t>(t)];
    for (std::int64_t c = 0; c < d; ++c) dx.data<double>()[t * d + c] += (d_out[c] - out[c] * mean) / norm;
  }
}

struct LayerRows {
  Tensor in;  // normed
  std::vector<double> norms;
  Tensor q, k, v, attended;
};

Tensor embedded(const AttentionNetwork& n, const std::vector<std::int64_t>& tokens) {
  const std::int64_t d = n.settings.width;
  Tensor x(DType::f64, {static_cast<std::int64_t>(tokens.size()), d});
  for (std::int64_t t = 0; t < x.dim(0); ++t)
    for (std::int64_t c = 0; c < d; ++c)
      x.data<double>()[t * d + c] =
          n.numbers[static_cast<std::size_t>(tokens[static_cast<std::size_t>(t)] * d + c)] + position(t, c, d);
  return x;
}

// Fills guesses, losses and their sum; gives their gradient by the scores.
Tensor guess(const AttentionNetwork& n, const std::vector<std::int64_t>& tokens, const Tensor& x, AttentionReading& reading) {
  const Places places{n.settings.width, n.symbols};
  const std::int64_t steps = x.dim(0);
  reading.guesses = product(x, n.numbers.data() + places.read_out(), n.symbols);
  Tensor d_scores(DType::f64, {steps, n.symbols});
  for (std::int64_t t = 0; t < steps; ++t) {
    double* const row = reading.guesses.data<double>() + t * n.symbols;
    double largest = -INFINITY, sum = 0;
    for (std::int64_t s = 0; s < n.symbols; ++s)
      largest = std::max(largest, row[s] += n.numbers[static_cast<std::size_t>(places.bias() + s)]);
    for (std::int64_t s = 0; s < n.symbols; ++s) sum += row[s] = std::exp(row[s] - largest);
    for (std::int64_t s = 0; s < n.symbols; ++s) row[s] /= sum;
    if (t + 1 == steps) break;
    const std::int64_t next = tokens[static_cast<std::size_t>(t + 1)];
    reading.losses.push_back(std::max(0.0, -std::log(std::max(1e-300, row[next]))));
    reading.sum += reading.losses.back();
    for (std::int64_t s = 0; s < n.symbols; ++s) d_scores.data<double>()[t * n.symbols + s] = row[s] - (s == next ? 1 : 0);
  }
  return d_scores;
}

void add(const Tensor& from, Tensor& to) {
  for (std::int64_t i = 0; i < to.count(); ++i) to.data<double>()[i] += from.data<double>()[i];
}

Status back(const AttentionNetwork& n, const std::vector<std::int64_t>& tokens, const std::vector<LayerRows>& layers,
            const LayerRows& last, const Tensor& d_scores, std::vector<double>& g) {
  const std::int64_t d = n.settings.width;
  const Places places{d, n.symbols};
  g.assign(n.numbers.size(), 0.0);
  const Shape& shape = last.in.shape();
  Tensor dx(DType::f64, shape), d_last(DType::f64, shape);
  product_back(last.in, n.numbers.data() + places.read_out(), d_scores, g.data() + places.read_out(), d_last);
  normed_back(last.in, last.norms, d_last, dx);
  for (std::int64_t i = 0; i < d_scores.count(); ++i)
    g[static_cast<std::size_t>(places.bias() + i % n.symbols)] += d_scores.data<double>()[i];
  for (std::int64_t l = kLayers - 1; l >= 0; --l) {
    const LayerRows& rows = layers[static_cast<std::size_t>(l)];
    const auto at = [&](Which which) { return places.matrix(l, which); };
    Tensor d_attended(DType::f64, shape), d_in(DType::f64, shape);
    product_back(rows.attended, n.numbers.data() + at(kOut), dx, g.data() + at(kOut), d_attended);
    AttentionGradients d_rows;
    if (n.settings.linear) {
      HL_ASSIGN(d_rows, linear_attention_gradients(kSimilarity, rows.q, rows.k, rows.v, d_attended));
    } else {
      d_rows = softmax_gradients(rows.q, rows.k, rows.v, d_attended);
    }
    product_back(rows.in, n.numbers.data() + at(kQuery), d_rows.q, g.data() + at(kQuery), d_in);
    product_back(rows.in, n.numbers.data() + at(kKey), d_rows.k, g.data() + at(kKey), d_in);
    product_back(rows.in, n.numbers.data() + at(kValue), d_rows.v, g.data() + at(kValue), d_in);
    normed_back(rows.in, rows.norms, d_in, dx);  // beside what flows past the layer
  }
  for (std::int64_t t = 0; t < shape[0]; ++t)
    for (std::int64_t c = 0; c < d; ++c)
      g[static_cast<std::size_t>(tokens[static_cast<std::size_t>(t)] * d + c)] += dx.data<double>()[t * d + c];
  return {};
}

}  // namespace

Result<AttentionNetwork> draw(const AttentionSettings& settings, std::int64_t symbols) {
  if (settings.width < 1 || settings.width > kMostUnits)
    return usage_error("{} units", settings.width).at("recurrence").mend("give 1 to {}", kMostUnits);
  if (symbols < 1 || symbols > kMostSymbols)
    return usage_error("{} different tokens", symbols).at("recurrence").mend("give 1 to {}", kMostSymbols);
  AttentionNetwork network{settings, symbols, {}};
  const Places places{settings.width, symbols};
  network.numbers.assign(static_cast<std::size_t>(places.count()), 0.0);
  const Rng rng(settings.seed, "recurrence.attention_layers");
  const double root = std::sqrt(static_cast<double>(settings.width));
  for (std::int64_t i = 0; i < places.bias(); ++i)
    network.numbers[static_cast<std::size_t>(i)] =
        rng.normal(0, static_cast<std::uint64_t>(i)) / (i < symbols * settings.width ? 1 : root);
  return network;
}

Result<AttentionReading> read(const AttentionNetwork& n, const std::vector<std::int64_t>& tokens, const CancelToken& cancel) {
  const auto steps = static_cast<std::int64_t>(tokens.size());
  if (steps < 1) return usage_error("the text has no token").at("recurrence").mend("give a sentence");
  if (steps > kMostSteps) return usage_error("{} tokens", steps).at("recurrence").mend("give at most {}", kMostSteps);
  for (const std::int64_t token : tokens)
    if (token < 0 || token >= n.symbols)
      return usage_error("there is no symbol {}", token).at("recurrence").mend("there are {}", n.symbols);
  const std::int64_t d = n.settings.width;
  const Places places{d, n.symbols};
  Tensor x = embedded(n, tokens);
  std::vector<LayerRows> layers;
  for (std::int64_t l = 0; l < kLayers; ++l) {
    if (cancel.cancelled()) return cancelled();
    LayerRows rows;
    rows.in = normed(x, rows.norms);
    const auto rows_by = [&](Which which) { return product(rows.in, n.numbers.data() + places.matrix(l, which), d); };
    rows.q = rows_by(kQuery);
    rows.k = rows_by(kKey);
    rows.v = rows_by(kValue);
    if (n.settings.linear) {
      HL_ASSIGN(rows.attended, linear_attention(kSimilarity, rows.q, rows.k, rows.v));
    } else {
      rows.attended = softmax_attention(rows.q, rows.k, rows.v);
    }
    Tensor next = product(rows.attended, n.numbers.data() + places.matrix(l, kOut), d);
    add(x, next);
    layers.push_back(std::move(rows));
    x = std::move(next);
  }
  if (cancel.cancelled()) return cancelled();
  AttentionReading reading;
  LayerRows last;
  last.in = normed(x, last.norms);
  const Tensor d_scores = guess(n, tokens, last.in, reading);
  HL_TRY(back(n, tokens, layers, last, d_scores, reading.gradients));
  return reading;
}

}  // namespace headlight::recurrence
