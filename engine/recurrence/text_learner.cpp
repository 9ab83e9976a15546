#include "engine/recurrence/text_learner.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/core/sorting.h"
#include "engine/recurrence/learning.h"

namespace headlight::recurrence {
namespace {

double mean_of_unit(const Tensor& part, std::int64_t unit) {
  double sum = 0;
  for (std::int64_t t = 0; t < part.dim(0); ++t) sum += part.data<double>()[t * part.dim(1) + unit];
  return sum / static_cast<double>(part.dim(0));
}

// The sum of h_t h_{t-1} by that of h_t^2.
double likeness(const Tensor& hidden, std::int64_t unit) {
  double both = 0, square = 0;
  for (std::int64_t t = 0; t < hidden.dim(0); ++t) {
    const double now = hidden.data<double>()[t * hidden.dim(1) + unit];
    square += now * now;
    if (t > 0) both += now * hidden.data<double>()[(t - 1) * hidden.dim(1) + unit];
  }
  return square > 0 ? both / square : 0;
}

}  // namespace

Learner::Learner(Network network, Unfolded unfolded, double rate)
    : network_(std::move(network)), unfolded_(std::move(unfolded)), rate_(rate), losses_{unfolded_.sum} {}

Result<Learner> Learner::begin(const Network& network, const std::vector<std::int64_t>& tokens, double rate,
                               const CancelToken& cancel) {
  HL_ASSIGN(Unfolded unfolded, unfold(network, tokens, cancel));
  return Learner(network, std::move(unfolded), rate);
}

Status Learner::step(const CancelToken& cancel) {
  Network next = network_;
  AdamState adam = adam_;
  if (network_.kind().trains) {
    adam.move(next.numbers, loss_gradients(network_, unfolded_), rate_);
  } else {
    HL_ASSIGN(next, fit_read_out(network_, unfolded_));
  }
  HL_ASSIGN(Unfolded unfolded, unfold(next, unfolded_.tokens, cancel));
  network_ = std::move(next);
  unfolded_ = std::move(unfolded);
  adam_ = std::move(adam);
  losses_.push_back(unfolded_.sum);
  return {};
}

std::vector<std::int64_t> by_memory(const Network& network, const Unfolded& unfolded) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(network.settings.units));
  std::iota(order.begin(), order.end(), std::int64_t{0});
  std::vector<double> memory;
  for (const std::int64_t unit : order)
    memory.push_back(network.settings.kind == "lstm"  ? mean_of_unit(unfolded.parts[1], unit)
                     : network.settings.kind == "ssm" ? -mean_of_unit(unfolded.parts[0], unit)
                                                      : likeness(unfolded.hidden(), unit));
  sort_stably(order, [&](std::int64_t a, std::int64_t b) {
    return memory[static_cast<std::size_t>(a)] > memory[static_cast<std::size_t>(b)];
  });
  return order;
}

}  // namespace headlight::recurrence
