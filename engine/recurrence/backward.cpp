// Backpropagation through time, from the last step to the first.
#include <algorithm>
#include <cmath>

#include "engine/recurrence/network.h"

namespace headlight::recurrence {
namespace {

struct Back {
  const Network& n;
  const Unfolded& unfolded;
  Gradients out{};
  std::vector<double> dh{}, dc{};  // into the state behind step t; of a state space dc is that of s

  const double* part(std::size_t which, std::int64_t t) const {
    return unfolded.parts[which].data<double>() + t * unfolded.parts[which].dim(1);
  }
  double before(std::size_t which, std::int64_t t, std::int64_t at) const { return t > 0 ? part(which, t - 1)[at] : 0; }
  double* of(const char* name) { return out.numbers.data() + n.array(name).at; }
  std::int64_t symbol(std::int64_t t) const { return unfolded.tokens[static_cast<std::size_t>(t)]; }

  // Of the sums of `gates` x units rows W_x x + W_h h + b, whose gradients are `d`.
  void through_sums(std::int64_t t, const std::vector<double>& d, std::size_t hidden) {
    const std::int64_t units = n.settings.units, rows = static_cast<std::int64_t>(d.size());
    const double *wx = n.of("wx"), *wh = n.of("wh");
    double *dwx = of("wx"), *dwh = of("wh"), *db = of("b"), *dx = out.inputs.data<double>() + t * n.symbols;
    std::fill(dh.begin(), dh.end(), 0.0);
    for (std::int64_t r = 0; r < rows; ++r) {
      const double own = d[static_cast<std::size_t>(r)];
      dwx[r * n.symbols + symbol(t)] += own;
      db[r] += own;
      for (std::int64_t s = 0; s < n.symbols; ++s) dx[s] += own * wx[r * n.symbols + s];
      for (std::int64_t u = 0; u < units; ++u) {
        dwh[r * units + u] += own * before(hidden, t, u);
        dh[static_cast<std::size_t>(u)] += own * wh[r * units + u];
      }
    }
  }

  void step_rnn(std::int64_t t) {
    std::vector<double> d(dh.size());
    for (std::size_t u = 0; u < d.size(); ++u) {
      const double h = part(0, t)[u];
      d[u] = dh[u] * (1 - h * h);
    }
    through_sums(t, d, 0);
  }

  void step_lstm(std::int64_t t) {
    const std::size_t units = dh.size();
    std::vector<double> d(4 * units);
    for (std::size_t u = 0; u < units; ++u) {
      const double i = part(0, t)[u], f = part(1, t)[u], o = part(2, t)[u], g = part(3, t)[u], tanh_c = std::tanh(part(4, t)[u]);
      const double into = dc[u] + dh[u] * o * (1 - tanh_c * tanh_c);
      d[u] = into * g * i * (1 - i);
      d[units + u] = into * before(4, t, static_cast<std::int64_t>(u)) * f * (1 - f);
      d[2 * units + u] = into * i * (1 - g * g);
      d[3 * units + u] = dh[u] * tanh_c * o * (1 - o);
      dc[u] = into * f;
    }
    through_sums(t, d, 5);
  }

  // Of the rows of W u, or of the bias alone where nothing is selected.
  void through_input(const char* weight, const char* bias, const std::vector<double>& d, const double* input,
                     std::vector<double>& du, bool weighs, bool biased) {
    const std::int64_t units = n.settings.units;
    for (std::size_t r = 0; r < d.size(); ++r) {
      if (biased) of(bias)[r] += d[r];
      for (std::int64_t u = 0; weighs && u < units; ++u) {
        const std::int64_t at = static_cast<std::int64_t>(r) * units + u;
        of(weight)[at] += d[r] * input[u];
        du[static_cast<std::size_t>(u)] += d[r] * n.of(weight)[at];
      }
    }
  }

  void step_ssm(std::int64_t t) {
    const std::int64_t units = n.settings.units, states = n.settings.states;
    const bool selective = n.settings.selective;
    const double* const input = unfolded.delta_input.data<double>() + t * units;
    const double *a_log = n.of("a_log"), *skip = n.of("skip");
    const std::vector<double> b = state_space_vector(n, "b", input), c = state_space_vector(n, "c", input);
    std::vector<double> du(static_cast<std::size_t>(units), 0.0), db(static_cast<std::size_t>(states), 0.0),
        d_c = db, d_pre(static_cast<std::size_t>(units), 0.0);
    for (std::int64_t u = 0; u < units; ++u) {
      const double dy = dh[static_cast<std::size_t>(u)], delta = part(0, t)[u];
      double d_delta = 0;
      of("skip")[u] += dy * input[u];
      du[static_cast<std::size_t>(u)] += dy * skip[u];
      for (std::int64_t s = 0; s < states; ++s) {
        const std::int64_t at = u * states + s;
        const auto state = static_cast<std::size_t>(s);
        const double a = -std::exp(a_log[at]), decay = std::exp(delta * a);
        d_c[state] += dy * part(1, t)[at];
        const double ds = dc[static_cast<std::size_t>(at)] + dy * c[state];
        const double d_decay = ds * before(1, t, at) * decay;
        d_delta += d_decay * a + ds * b[state] * input[u];
        of("a_log")[at] += d_decay * delta * a;
        db[state] += ds * delta * input[u];
        du[static_cast<std::size_t>(u)] += ds * delta * b[state];
        dc[static_cast<std::size_t>(at)] = ds * decay;
      }
      d_pre[static_cast<std::size_t>(u)] = d_delta * (1 - std::exp(-delta));  // the derivative of softplus
    }
    through_input("w_delta", "b_delta", d_pre, input, du, selective, true);
    through_input("wb", "bb", db, input, du, selective, !selective);
    through_input("wc", "bc", d_c, input, du, selective, !selective);
    for (std::int64_t u = 0; u < units; ++u) {
      of("wx")[u * n.symbols + symbol(t)] += du[static_cast<std::size_t>(u)];
      for (std::int64_t s = 0; s < n.symbols; ++s)
        out.inputs.data<double>()[t * n.symbols + s] += du[static_cast<std::size_t>(u)] * n.of("wx")[u * n.symbols + s];
    }
    std::fill(dh.begin(), dh.end(), 0.0);
  }

  void run(const Tensor& d_hidden) {
    const std::int64_t steps = d_hidden.dim(0), units = n.settings.units;
    const bool space = n.settings.kind == "ssm", lstm = n.settings.kind == "lstm";
    out.numbers.assign(n.numbers.size(), 0.0);
    out.inputs = Tensor(DType::f64, {steps, n.symbols}, {"step", "symbol"});
    out.flowing.assign(static_cast<std::size_t>(steps), 0.0);
    dh.assign(static_cast<std::size_t>(units), 0.0);
    dc.assign(static_cast<std::size_t>(space ? units * n.settings.states : units), 0.0);
    for (std::int64_t t = steps - 1; t >= 0; --t) {
      for (std::int64_t u = 0; u < units; ++u) dh[static_cast<std::size_t>(u)] += d_hidden.data<double>()[t * units + u];
      lstm ? step_lstm(t) : space ? step_ssm(t) : step_rnn(t);
      double squared = 0;
      for (const double one : dh) squared += one * one;
      for (const double one : dc) squared += one * one;
      out.flowing[static_cast<std::size_t>(t)] = std::sqrt(squared);
    }
  }
};

}  // namespace

Gradients backward(const Network& network, const Unfolded& unfolded, const Tensor& d_hidden) {
  Back back{network, unfolded};
  back.run(d_hidden);
  return std::move(back.out);
}

std::vector<double> loss_gradients(const Network& network, const Unfolded& unfolded) {
  const std::int64_t steps = unfolded.guesses.dim(0), units = network.settings.units;
  Tensor d_hidden(DType::f64, {steps, units});
  std::vector<double> readout(network.numbers.size(), 0.0);
  const double* const wy = network.of("wy");
  double *dwy = readout.data() + network.array("wy").at, *dby = readout.data() + network.array("by").at;
  for (std::int64_t t = 0; t + 1 < steps; ++t) {
    const double* const hidden = unfolded.hidden().data<double>() + t * units;
    for (std::int64_t s = 0; s < network.symbols; ++s) {
      const double d = unfolded.guesses.at({t, s}) - (unfolded.tokens[static_cast<std::size_t>(t + 1)] == s ? 1 : 0);
      dby[s] += d;
      for (std::int64_t u = 0; u < units; ++u) {
        dwy[s * units + u] += d * hidden[u];
        d_hidden.data<double>()[t * units + u] += d * wy[s * units + u];
      }
    }
  }
  std::vector<double> all = backward(network, unfolded, d_hidden).numbers;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += readout[i];
  return all;
}

}  // namespace headlight::recurrence
