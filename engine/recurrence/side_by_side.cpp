#include "engine/recurrence/side_by_side.h"

#include <cmath>
#include <utility>

namespace headlight::recurrence {

Result<AttentionLearner> AttentionLearner::begin(const AttentionNetwork& network, const std::vector<std::int64_t>& tokens,
                                                 double rate, const CancelToken& cancel) {
  AttentionLearner learner;
  HL_ASSIGN(learner.reading_, read(network, tokens, cancel));
  learner.network_ = network;
  learner.tokens_ = tokens;
  learner.rate_ = rate;
  learner.losses_ = {learner.reading_.sum};
  return learner;
}

Status AttentionLearner::step(const CancelToken& cancel) {
  AttentionNetwork next = network_;
  AdamState adam = adam_;
  adam.move(next.numbers, reading_.gradients, rate_);
  HL_ASSIGN(reading_, read(next, tokens_, cancel));
  network_ = std::move(next);
  adam_ = std::move(adam);
  losses_.push_back(reading_.sum);
  return {};
}

Result<SideBySide> SideBySide::begin(const SideBySideSettings& settings, const std::vector<std::int64_t>& tokens,
                                     std::int64_t symbols, const CancelToken& cancel) {
  if (!(settings.rate > 0) || !std::isfinite(settings.rate))
    return usage_error("a rate that is not above 0").at("recurrence").mend("try 0.02");
  SideBySide made;
  made.tokens_ = tokens;
  for (const char* kind : {"rnn", "lstm"}) {
    Settings own;
    own.kind = kind;
    own.units = settings.units;
    own.scale = settings.scale;
    own.seed = settings.seed;
    HL_ASSIGN(const Network network, draw(own, symbols));
    HL_ASSIGN(Learner learner, Learner::begin(network, tokens, settings.rate, cancel));
    made.recurrent_.push_back(std::move(learner));
  }
  for (const bool linear : {false, true}) {
    HL_ASSIGN(const AttentionNetwork network, draw(AttentionSettings{settings.units, linear, settings.seed}, symbols));
    HL_ASSIGN(AttentionLearner learner, AttentionLearner::begin(network, tokens, settings.rate, cancel));
    made.attending_.push_back(std::move(learner));
  }
  return made;
}

Status SideBySide::step(const CancelToken& cancel) {
  std::vector<Learner> recurrent = recurrent_;
  std::vector<AttentionLearner> attending = attending_;
  for (Learner& one : recurrent) HL_TRY(one.step(cancel));
  for (AttentionLearner& one : attending) HL_TRY(one.step(cancel));
  recurrent_ = std::move(recurrent);
  attending_ = std::move(attending);
  return {};
}

std::vector<LearningCurve> SideBySide::curves() const {
  std::vector<LearningCurve> curves;
  for (const Learner& one : recurrent_)
    curves.push_back({one.network().settings.kind, one.network().kind().label, one.network().parameters(), one.losses()});
  for (const AttentionLearner& one : attending_) {
    const bool linear = one.network().settings.linear;
    curves.push_back({linear ? "linear" : "attention", linear ? "two linear attention layers" : "two attention layers",
                      one.network().parameters(), one.losses()});
  }
  return curves;
}

std::int64_t SideBySide::right(std::size_t which) const {
  const Tensor& guesses =
      which < recurrent_.size() ? recurrent_[which].unfolded().guesses : attending_[which - recurrent_.size()].reading().guesses;
  std::int64_t count = 0;
  for (std::int64_t t = 0; t + 1 < guesses.dim(0); ++t) {
    const double* const row = guesses.data<double>() + t * guesses.dim(1);
    std::int64_t best = 0;
    for (std::int64_t s = 1; s < guesses.dim(1); ++s)
      if (row[s] > row[best]) best = s;
    count += best == tokens_[static_cast<std::size_t>(t + 1)];
  }
  return count;
}

}  // namespace headlight::recurrence
