#include "engine/recurrence/channel.h"

#include <cmath>
#include <string>

#include "engine/core/rng.h"

namespace headlight::recurrence {

Result<Channel> channel_of(const Network& network, const Unfolded& unfolded, std::int64_t which) {
  const Settings& settings = network.settings;
  if (settings.kind != "ssm") return usage_error("only a state space is a matrix").at("recurrence").mend("choose the kind ssm");
  if (which < 0 || which >= settings.units)
    return usage_error("there is no channel {}", which).at("recurrence").mend("there are {}", settings.units);
  Channel channel;
  for (std::int64_t s = 0; s < settings.states; ++s)
    channel.a.push_back(-std::exp(network.of("a_log")[which * settings.states + s]));
  channel.skip = network.of("skip")[which];
  for (std::int64_t t = 0; t < unfolded.hidden().dim(0); ++t) {
    const double* const input = unfolded.delta_input.data<double>() + t * settings.units;
    const std::vector<double> b = state_space_vector(network, "b", input), c = state_space_vector(network, "c", input);
    channel.u.push_back(input[which]);
    channel.delta.push_back(unfolded.parts[0].data<double>()[t * settings.units + which]);
    channel.b.insert(channel.b.end(), b.begin(), b.end());
    channel.c.insert(channel.c.end(), c.begin(), c.end());
  }
  return channel;
}

Channel drawn_channel(std::int64_t steps, std::int64_t states, std::uint64_t seed) {
  const Rng rng(seed, "recurrence.channel");
  Channel channel;
  for (std::int64_t s = 0; s < states; ++s) channel.a.push_back(-static_cast<double>(s + 1));
  for (std::int64_t t = 0; t < steps; ++t) {
    const auto row = static_cast<std::uint64_t>(t);
    channel.u.push_back(rng.normal(row, 0));
    channel.delta.push_back(std::log1p(std::exp(std::log(std::expm1(0.1)) + rng.normal(row, 1))));
    for (std::int64_t s = 0; s < states; ++s) {
      channel.b.push_back(rng.normal(row, static_cast<std::uint64_t>(2 + s)));
      channel.c.push_back(rng.normal(row, static_cast<std::uint64_t>(2 + states + s)));
    }
  }
  return channel;
}

Result<std::vector<double>> scan(const Channel& channel, const CancelToken& cancel) {
  const std::size_t states = channel.a.size();
  std::vector<double> state(states, 0.0), y(channel.u.size());
  for (std::size_t t = 0; t < y.size(); ++t) {
    if (t % 256 == 0 && cancel.cancelled()) return cancelled();
    const double *const b = channel.b.data() + t * states, *const c = channel.c.data() + t * states;
    const double delta = channel.delta[t], u = channel.u[t];
    double sum = channel.skip * u;
    for (std::size_t s = 0; s < states; ++s) {
      state[s] = std::exp(delta * channel.a[s]) * state[s] + delta * b[s] * u;
      sum += c[s] * state[s];
    }
    y[t] = sum;
  }
  return y;
}

Result<Tensor> matrix_of(const Channel& channel, const CancelToken& cancel) {
  const std::int64_t steps = channel.steps(), states = channel.states();
  Tensor matrix(DType::f64, {steps, steps}, {"step", "input"});
  for (std::int64_t i = 0; i < steps; ++i) {
    if (cancel.cancelled()) return cancelled();
    const double* const c = channel.c.data() + i * states;
    double* const row = matrix.data<double>() + i * steps;
    double passed = 0;  // the sum of Delta behind j, up to i
    for (std::int64_t j = i; j >= 0; --j) {
      const double* const b = channel.b.data() + j * states;
      const double delta = channel.delta[static_cast<std::size_t>(j)];
      double sum = 0;
      for (std::int64_t s = 0; s < states; ++s) sum += c[s] * std::exp(channel.a[static_cast<std::size_t>(s)] * passed) * b[s];
      row[j] = sum * delta + (i == j ? channel.skip : 0);
      passed += delta;
    }
  }
  return matrix;
}

std::vector<double> matrix_times(const Tensor& matrix, const std::vector<double>& u) {
  std::vector<double> y(u.size(), 0.0);
  for (std::size_t i = 0; i < y.size(); ++i)
    for (std::size_t j = 0; j <= i; ++j) y[i] += matrix.data<double>()[i * y.size() + j] * u[j];
  return y;
}

}  // namespace headlight::recurrence
