#include "engine/train/live_training.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/attention/patterns/order_patterns.h"
#include "engine/core/byte_words.h"
#include "engine/train/training_run.h"

namespace headlight::train {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30;
constexpr std::int64_t kHeldOut = 2;  // batches

// The patterns of every head of a layer. No mask is needed: what comes later has the weight 0.
void score_heads(SequenceReading& reading, const Tensor& weights, std::span<const std::int32_t> ids) {
  std::vector<double>& induction = reading.induction.emplace_back();
  std::vector<double>& previous = reading.previous.emplace_back();
  for (std::int64_t head = 0; head < weights.dim(0); ++head) {
    const patterns::HeadMap map(weights.select(0, head), Tensor());
    induction.push_back(patterns::induction_weight(map, ids).value());
    previous.push_back(patterns::previous_weight(map).value());
  }
}

// The best token of a row of scores, and the probability of one.
std::pair<std::int32_t, double> best_and_share(const float* scores, std::int64_t count, std::int32_t wanted) {
  const float most = *std::max_element(scores, scores + count);
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += std::exp(static_cast<double>(scores[i] - most));
  const auto best = static_cast<std::int32_t>(std::max_element(scores, scores + count) - scores);
  return {best, wanted < 0 ? 0 : std::exp(static_cast<double>(scores[wanted] - most)) / sum};
}

}  // namespace

Result<std::unique_ptr<LiveTraining>> LiveTraining::make(Config config, const DataPlaces& places,
                                                         std::shared_ptr<backends::Backend> backend, const CancelToken& cancel) {
  config.steps = std::numeric_limits<std::int32_t>::max();
  config.least_learning_rate = config.learning_rate;
  config.evaluate_batches = std::max(config.evaluate_batches, kHeldOut);
  std::unique_ptr<LiveTraining> made(new LiveTraining());
  HL_ASSIGN(made->data_, open_data(config, places, cancel));
  HL_ASSIGN(made->learner_, Learner::make(config, vocabularies_of(*made->data_), std::move(backend)));
  HL_ASSIGN(const std::uint64_t bytes, made->learner_->bytes_needed(made->data_->training(0)));
  if (bytes > kMostBytes)
    return failure(ErrorKind::too_large, "a step of this training would take {}", byte_words(static_cast<double>(bytes)))
        .mend("choose a smaller width, fewer layers or a smaller batch");
  HL_ASSIGN(made->plateaus_, plateaus(config, *made->data_, cancel));
  made->config_ = std::move(config);
  return made;
}

Result<double> LiveTraining::step(const CancelToken& cancel) {
  const Batch batch = data_->training(learner_->steps());
  HL_ASSIGN(const Learner::Outcome done, learner_->step({&batch, 1}, cancel));
  return done.loss;
}

Result<double> LiveTraining::held_out(const CancelToken& cancel) {
  HL_ASSIGN(const CurvePoint point, held_out_loss(*learner_, *data_, kHeldOut, cancel));
  return point.held_out;
}

NamedTensors LiveTraining::parameters() const {
  NamedTensors all;
  for (const Trained& one : learner_->parameters()) all.emplace_back(one.spec.name, one.value);
  return all;
}

Result<SequenceReading> LiveTraining::read(const NamedTensors& parameters, std::span<const std::int32_t> ids,
                                           const CancelToken& cancel) {
  const auto length = static_cast<std::int64_t>(ids.size());
  if (length < 1 || length > config_.length)
    return invalid("a sequence of {} tokens does not fit into a row of {}", length, config_.length)
        .mend("give at least one token, and no more than fit");
  Batch batch;
  batch.ids = Tensor::of(std::vector<std::int32_t>(ids.begin(), ids.end()), {1, length}, {"batch", "position"});
  std::vector<std::int32_t> labels(ids.begin() + 1, ids.end());
  labels.push_back(-1);
  batch.labels = Tensor::of(labels, {length});
  batch.lengths = {length};
  batch.labelled = length - 1;
  std::vector<Tensor> own;
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    own.push_back(learner_->parameters()[i].value);
    learner_->parameters()[i].value = parameters[i].second;
  }
  const Result<Learner::Reading> read = learner_->read(batch, cancel);
  for (std::size_t i = 0; i < parameters.size(); ++i) learner_->parameters()[i].value = own[i];
  if (!read) return read.error();

  SequenceReading reading;
  for (const Tensor& weights : read->weights) {
    reading.weights.push_back(weights.reshaped({weights.dim(1), weights.dim(2), weights.dim(3)}));
    score_heads(reading, reading.weights.back(), ids);
  }
  const std::int64_t pieces = read->logits.count() / length;
  for (std::int64_t i = 0; i < length; ++i) {
    const auto [best, share] =
        best_and_share(read->logits.data<float>() + i * pieces, pieces, labels[static_cast<std::size_t>(i)]);
    reading.answers.push_back(best);
    if (i + 1 < length) reading.right.push_back(share);
  }
  return reading;
}

std::vector<std::int32_t> LiveTraining::ids_of(const std::string& text) const {
  const auto tokens = data_->tokenizer()->encode(text);
  std::vector<std::int32_t> ids;
  if (!tokens) return ids;
  for (const tokenizers::Token& token : *tokens) {
    if (token.id == data_->tokenizer()->special(tokenizers::Role::unknown)) return {};
    if (static_cast<std::int64_t>(ids.size()) < config_.length) ids.push_back(token.id);
  }
  if (ids.size() < 2) ids.clear();
  return ids;
}

std::vector<std::int32_t> LiveTraining::held_out_row() const {
  const Batch batch = data_->held_out(0);
  const std::int32_t* const ids = batch.ids.data<std::int32_t>();
  std::vector<std::int32_t> row(ids, ids + batch.lengths.front());
  const std::int32_t pad = data_->tokenizer()->special(tokenizers::Role::pad);
  while (row.size() > 1 && row.back() == pad) row.pop_back();
  return row;
}

}  // namespace headlight::train
