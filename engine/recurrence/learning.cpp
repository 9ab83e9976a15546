#include "engine/recurrence/learning.h"

#include <algorithm>
#include <cmath>

#include "engine/core/rng.h"
#include "engine/recurrence/text_learner.h"

namespace headlight::recurrence {
namespace {

bool is_kept(std::int64_t step, std::int64_t steps) { return step == steps || (step & (step - 1)) == 0; }

// Only a state space has channels that are a matrix each.
Status check_channel(const Network& network, std::int64_t channel) {
  if (network.settings.kind != "ssm") return usage_error("only a state space is a matrix", "recurrence", "choose the kind ssm");
  if (channel < 0 || channel >= network.settings.units)
    return usage_error("there is no channel " + std::to_string(channel), "recurrence",
                       "there are " + std::to_string(network.settings.units));
  return {};
}

}  // namespace

std::uint64_t Learnt::bytes() const {
  std::uint64_t all = losses.size() * sizeof(double);
  for (const Network& network : kept) all += network.numbers.size() * sizeof(double);
  return all;
}

Result<Learnt> learn(const Network& network, const std::vector<std::int64_t>& tokens, std::int64_t steps, double rate,
                     const CancelToken& cancel) {
  if (steps < 1 || steps > kMostTrainingSteps)
    return usage_error(std::to_string(steps) + " steps", "recurrence", "give 1 to " + std::to_string(kMostTrainingSteps));
  Learnt learnt;
  HL_ASSIGN(Learner learner, Learner::begin(network, tokens, rate, cancel));
  if (!network.kind().trains) steps = 1;
  for (std::int64_t step = 0;; ++step) {
    if (is_kept(step, steps)) {
      learnt.steps.push_back(step);
      learnt.kept.push_back(learner.network());
    }
    if (step == steps) break;
    HL_TRY(learner.step(cancel));
  }
  learnt.losses = learner.losses();
  return learnt;
}

Result<std::vector<double>> influence(const Network& network, const Unfolded& unfolded, std::int64_t at,
                                      const CancelToken& cancel) {
  const std::int64_t steps = unfolded.hidden().dim(0), units = network.settings.units;
  if (at < 0 || at >= steps) return usage_error("there is no step " + std::to_string(at), "recurrence");
  std::vector<double> squared(static_cast<std::size_t>(at + 1), 0.0);
  for (std::int64_t u = 0; u < units; ++u) {
    if (cancel.cancelled()) return cancelled();
    Tensor d_hidden(DType::f64, {steps, units});
    d_hidden.data<double>()[at * units + u] = 1;
    const Gradients g = backward(network, unfolded, d_hidden);
    for (std::int64_t t = 0; t <= at; ++t)
      for (std::int64_t s = 0; s < network.symbols; ++s) {
        const double d = g.inputs.data<double>()[t * network.symbols + s];
        squared[static_cast<std::size_t>(t)] += d * d;
      }
  }
  for (double& one : squared) one = std::sqrt(one);
  return squared;
}

Result<std::vector<double>> gradient_lengths(const Network& network, std::int64_t steps, const CancelToken& cancel) {
  const Rng rng(network.settings.seed, "recurrence.gradient");
  std::vector<std::int64_t> tokens;
  for (std::int64_t t = 0; t <= steps; ++t)
    tokens.push_back(
        static_cast<std::int64_t>(rng.bits(0, static_cast<std::uint64_t>(t)) % static_cast<std::uint64_t>(network.symbols)));
  HL_ASSIGN(const Unfolded unfolded, unfold(network, tokens, cancel));
  const std::int64_t units = network.settings.units;
  Tensor d_hidden(DType::f64, {steps + 1, units});
  double length = 0;
  for (std::int64_t u = 0; u < units; ++u) {
    double& d = d_hidden.data<double>()[steps * units + u];
    d = rng.normal(1, static_cast<std::uint64_t>(u));
    length += d * d;
  }
  length = std::sqrt(length);
  const Gradients g = backward(network, unfolded, d_hidden);
  std::vector<double> lengths = {1};
  for (std::int64_t n = 0; n < steps; ++n) lengths.push_back(g.flowing[static_cast<std::size_t>(steps - n)] / length);
  return lengths;
}

Result<std::vector<double>> scanned(const Network& network, const Unfolded& unfolded, std::int64_t channel) {
  HL_TRY(check_channel(network, channel));
  const std::int64_t steps = unfolded.hidden().dim(0), units = network.settings.units, states = network.settings.states;
  const double* const a_log = network.of("a_log") + channel * states;
  std::vector<double> state(static_cast<std::size_t>(states), 0.0), outputs;
  for (std::int64_t t = 0; t < steps; ++t) {
    const double* const input = unfolded.delta_input.data<double>() + t * units;
    const std::vector<double> b = state_space_vector(network, "b", input), c = state_space_vector(network, "c", input);
    const double delta = unfolded.parts[0].data<double>()[t * units + channel];
    double y = network.of("skip")[channel] * input[channel];
    for (std::size_t s = 0; s < state.size(); ++s) {
      state[s] = std::exp(-std::exp(a_log[s]) * delta) * state[s] + delta * b[s] * input[channel];
      y += c[s] * state[s];
    }
    outputs.push_back(y);
  }
  return outputs;
}

Result<Tensor> unrolled(const Network& network, const Unfolded& unfolded, std::int64_t channel) {
  HL_TRY(check_channel(network, channel));
  const std::int64_t steps = unfolded.hidden().dim(0), units = network.settings.units, states = network.settings.states;
  const double* const a_log = network.of("a_log") + channel * states;
  std::vector<std::vector<double>> b, c;
  for (std::int64_t t = 0; t < steps; ++t) {
    const double* const input = unfolded.delta_input.data<double>() + t * units;
    b.push_back(state_space_vector(network, "b", input));
    c.push_back(state_space_vector(network, "c", input));
  }
  const auto delta = [&](std::int64_t t) { return unfolded.parts[0].data<double>()[t * units + channel]; };
  Tensor matrix(DType::f64, {steps, steps}, {"step", "input"});
  for (std::int64_t i = 0; i < steps; ++i) {
    double passed = 0;  // the sum of Delta behind j, up to i
    for (std::int64_t j = i; j >= 0; --j) {
      double sum = 0;
      for (std::int64_t s = 0; s < states; ++s) {
        const auto state = static_cast<std::size_t>(s);
        sum += c[static_cast<std::size_t>(i)][state] * std::exp(-std::exp(a_log[s]) * passed) *
               b[static_cast<std::size_t>(j)][state];
      }
      matrix.data<double>()[i * steps + j] = sum * delta(j) + (i == j ? network.of("skip")[channel] : 0);
      passed += delta(j);
    }
  }
  return matrix;
}

}  // namespace headlight::recurrence
