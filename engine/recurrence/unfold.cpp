// The networks over a text, step by step.
#include <algorithm>
#include <cmath>

#include "engine/recurrence/network.h"

namespace headlight::recurrence {
namespace {

double logistic(double x) { return 1 / (1 + std::exp(-x)); }
double softplus(double x) { return x > 30 ? x : std::log1p(std::exp(x)); }

// row r of `matrix` times `vector`
double dot(const double* matrix, std::int64_t r, const double* vector, std::int64_t columns) {
  double sum = 0;
  for (std::int64_t c = 0; c < columns; ++c) sum += matrix[r * columns + c] * vector[c];
  return sum;
}

double* row(Tensor& tensor, std::int64_t t) { return tensor.data<double>() + t * tensor.dim(1); }

// rnn and esn.
void step_rnn(const Network& n, std::int64_t symbol, std::int64_t t, Unfolded& out, const std::vector<double>& zeros) {
  const std::int64_t units = n.settings.units;
  const double *wx = n.of("wx"), *wh = n.of("wh"), *b = n.of("b");
  const double* const before = t > 0 ? row(out.parts[0], t - 1) : zeros.data();
  for (std::int64_t u = 0; u < units; ++u)
    row(out.parts[0], t)[u] = std::tanh(wx[u * n.symbols + symbol] + dot(wh, u, before, units) + b[u]);
}

void step_lstm(const Network& n, std::int64_t symbol, std::int64_t t, Unfolded& out, const std::vector<double>& zeros) {
  const std::int64_t units = n.settings.units;
  const double *wx = n.of("wx"), *wh = n.of("wh"), *b = n.of("b");
  const double* const before = t > 0 ? row(out.parts[5], t - 1) : zeros.data();
  const double* const cell = t > 0 ? row(out.parts[4], t - 1) : zeros.data();
  for (std::int64_t u = 0; u < units; ++u) {
    const auto in = [&](std::int64_t gate) {
      const std::int64_t r = gate * units + u;
      return wx[r * n.symbols + symbol] + dot(wh, r, before, units) + b[r];
    };
    const double i = logistic(in(0)), f = logistic(in(1)), g = std::tanh(in(2)), o = logistic(in(3));
    const double c = f * cell[u] + i * g;
    const double all[] = {i, f, o, g, c, o * std::tanh(c)};
    for (std::size_t part = 0; part < 6; ++part) row(out.parts[part], t)[u] = all[part];
  }
}

void step_ssm(const Network& n, std::int64_t symbol, std::int64_t t, Unfolded& out, const std::vector<double>& zeros) {
  const std::int64_t units = n.settings.units, states = n.settings.states;
  const double *wx = n.of("wx"), *a = n.of("a_log"), *skip = n.of("skip");
  double* const input = row(out.delta_input, t);
  for (std::int64_t u = 0; u < units; ++u) input[u] = wx[u * n.symbols + symbol];
  const std::vector<double> b = state_space_vector(n, "b", input), c = state_space_vector(n, "c", input);
  const double* const before = t > 0 ? row(out.parts[1], t - 1) : zeros.data();
  for (std::int64_t u = 0; u < units; ++u) {
    const double pre = n.of("b_delta")[u] + (n.settings.selective ? dot(n.of("w_delta"), u, input, units) : 0);
    const double delta = row(out.parts[0], t)[u] = softplus(pre);
    double y = skip[u] * input[u];
    for (std::int64_t s = 0; s < states; ++s) {
      const std::int64_t at = u * states + s;
      const double now = std::exp(-std::exp(a[at]) * delta) * before[at] + delta * b[static_cast<std::size_t>(s)] * input[u];
      row(out.parts[1], t)[at] = now;
      y += c[static_cast<std::size_t>(s)] * now;
    }
    row(out.parts[2], t)[u] = y;
  }
}

void read_out(const Network& n, std::int64_t t, Unfolded& out) {
  const double *wy = n.of("wy"), *by = n.of("by");
  const std::int64_t units = n.settings.units;
  const double* const hidden = out.hidden().data<double>() + t * units;
  double* const guess = row(out.guesses, t);
  double largest = -INFINITY, sum = 0;
  for (std::int64_t s = 0; s < n.symbols; ++s) largest = std::max(largest, guess[s] = dot(wy, s, hidden, units) + by[s]);
  for (std::int64_t s = 0; s < n.symbols; ++s) sum += guess[s] = std::exp(guess[s] - largest);
  for (std::int64_t s = 0; s < n.symbols; ++s) guess[s] /= sum;
}

}  // namespace

std::vector<double> state_space_vector(const Network& n, const std::string& which, const double* input) {
  const double* const own = n.of("b" + which);
  std::vector<double> vector(own, own + n.settings.states);
  if (!n.settings.selective) return vector;
  for (std::int64_t s = 0; s < n.settings.states; ++s)
    vector[static_cast<std::size_t>(s)] = dot(n.of("w" + which), s, input, n.settings.units);
  return vector;
}

Result<Unfolded> unfold(const Network& network, const std::vector<std::int64_t>& tokens, const CancelToken& cancel) {
  const auto steps = static_cast<std::int64_t>(tokens.size());
  if (steps < 1) return usage_error("the text has no token").at("recurrence").mend("give a sentence");
  if (steps > kMostSteps) return usage_error("{} tokens", steps).at("recurrence").mend("give at most {}", kMostSteps);
  for (const std::int64_t token : tokens)
    if (token < 0 || token >= network.symbols)
      return usage_error("there is no symbol {}", token).at("recurrence").mend("there are {}", network.symbols);
  Unfolded out;
  out.tokens = tokens;
  const std::int64_t units = network.settings.units, wide = units * network.settings.states;
  for (const Part& part : network.kind().parts)
    out.parts.emplace_back(DType::f64, Shape{steps, part.each_unit ? units : wide}, Axes{"step", "unit"});
  if (network.settings.kind == "ssm") out.delta_input = Tensor(DType::f64, {steps, units}, {"step", "unit"});
  out.guesses = Tensor(DType::f64, {steps, network.symbols}, {"step", "symbol"});
  const std::vector<double> zeros(static_cast<std::size_t>(std::max(units, wide)), 0.0);
  const auto step = network.settings.kind == "lstm" ? step_lstm : network.settings.kind == "ssm" ? step_ssm : step_rnn;
  for (std::int64_t t = 0; t < steps; ++t) {
    if (cancel.cancelled()) return cancelled();
    step(network, tokens[static_cast<std::size_t>(t)], t, out, zeros);
    read_out(network, t, out);
    if (t + 1 == steps) break;
    out.losses.push_back(
        std::max(0.0, -std::log(std::max(1e-300, out.guesses.at({t, tokens[static_cast<std::size_t>(t + 1)]})))));
    out.sum += out.losses.back();
  }
  return out;
}

}  // namespace headlight::recurrence
