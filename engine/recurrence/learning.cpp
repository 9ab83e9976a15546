#include "engine/recurrence/learning.h"

#include <algorithm>
#include <cmath>

#include "engine/core/rng.h"
#include "engine/recurrence/channel.h"
#include "engine/recurrence/text_learner.h"

namespace headlight::recurrence {
namespace {

bool is_kept(std::int64_t step, std::int64_t steps) { return step == steps || (step & (step - 1)) == 0; }

}  // namespace

std::uint64_t Learnt::bytes() const {
  std::uint64_t all = losses.size() * sizeof(double);
  for (const Network& network : kept) all += network.numbers.size() * sizeof(double);
  return all;
}

Result<Learnt> learn(const Network& network, const std::vector<std::int64_t>& tokens, std::int64_t steps, double rate,
                     const CancelToken& cancel) {
  if (steps < 1 || steps > kMostTrainingSteps)
    return usage_error("{} steps", steps).at("recurrence").mend("give 1 to {}", kMostTrainingSteps);
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
  if (at < 0 || at >= steps) return usage_error("there is no step {}", at).at("recurrence");
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
  HL_ASSIGN(const Channel one, channel_of(network, unfolded, channel));
  return scan(one);
}

Result<Tensor> unrolled(const Network& network, const Unfolded& unfolded, std::int64_t channel) {
  HL_ASSIGN(const Channel one, channel_of(network, unfolded, channel));
  return matrix_of(one);
}

}  // namespace headlight::recurrence
