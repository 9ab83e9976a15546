// Predictions of a stored model: the scores of every token at every position, computed for a batch of sequences without keeping a
// trace.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/document/stored_model.h"
#include "engine/models/weights.h"
#include "engine/pipeline/run.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::architectures {
struct Architecture;
}

namespace headlight {

using TokenIds = std::vector<std::int32_t>;
struct ContinuedModel;  // continuation.h

// The weights of one attention over a batch.
struct SiteWeights {
  AttentionSite site;  // with its mask
  Tensor weights;      // [batch, head, query, key]
};

class Predictor {
 public:
  // Opens the model's weights and tokenizers. Errors: those of open_stored_model() and of the weights.
  // open(*open_stored_model("english-french"), backend): a predictor that translates.
  static Result<Predictor> open(std::shared_ptr<const StoredModel> model, std::shared_ptr<backends::Backend> backend);

  const StoredModel& model() const { return *model_; }
  const tokenizers::Tokenizer& tokenizer() const { return *tokenizer_; }
  // Of the predicted tokens: the targets' tokenizer where the model reads two texts.
  const tokenizers::Tokenizer& output_tokenizer() const { return *target_tokenizer_; }
  bool reads_two() const { return model_->task == ModelTask::encoder_decoder; }

  // The model's tokens of one text, with the tokens that ends_of() puts around it. source() is for a text that the model reads
  // whole (the source of an encoder-decoder), beginning() for the beginning of a text that it continues (without [EOS]). Errors:
  // the tokenizer's; of source() more tokens than the model was trained on.
  // source("the cat", Message("line {}", 3), cancel): errors name line 3.
  Result<TokenIds> source(std::string_view text, const Message& where, const CancelToken& cancel) const;
  Result<TokenIds> beginning(std::string_view text, const CancelToken& cancel) const;

  // The token that an encoder-decoder begins its output from. Error: the output tokenizer has no [BOS].
  Result<std::int32_t> first_output() const;

  // logits[b, i, t]: the score of token t behind position i, before softmax. [batch, longest, vocabulary], float32 or the
  // reference's double; rows behind the end of a shorter sequence have no meaning. `targets`: one for each text where the model
  // reads two, else none; no sequence is empty.
  // logits({{5, 6, 7}}, {}, cancel) of a decoder: [1, 3, vocabulary].
  Result<Tensor> logits(std::span<const TokenIds> texts, std::span<const TokenIds> targets, const CancelToken& cancel) const;
  // The weights of every attention, in the order of computation, for the same arguments.
  Result<std::vector<SiteWeights>> attention(std::span<const TokenIds> texts, std::span<const TokenIds> targets,
                                             const CancelToken& cancel) const;
  // The same model for a Continuation, whose texts grow token by token.
  std::shared_ptr<const ContinuedModel> continued() const;
  // The number of sequences of this length for one call of logits(): at most 32, and so few that the result takes at most 64 MB.
  std::int64_t good_batch(std::int64_t length) const;

 private:
  struct Planned;
  Result<TokenIds> ids_of(std::string_view text, const SentenceEnds& ends, const CancelToken& cancel) const;
  Predictor() = default;
  Result<Planned> plan(std::span<const TokenIds> texts, std::span<const TokenIds> targets) const;
  Result<std::vector<Tensor>> compute(Planned& planned, const std::vector<std::size_t>& wanted, const CancelToken& cancel) const;

  std::shared_ptr<const StoredModel> model_;
  std::shared_ptr<const architectures::Architecture> architecture_;
  std::shared_ptr<backends::Backend> backend_;
  std::shared_ptr<const models::Weights> weights_;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_, target_tokenizer_;
  // The encoder's results, which stay the same while the targets grow.
  std::shared_ptr<StepCache> cache_;
};

// ln softmax(scores)[token], in double. log_probability({0, 0}, 1) gives ln .5, about -0.693.
double log_probability(std::span<const double> scores, std::int32_t token);
// One row of logits as double: position `position` of sequence `sequence`.
// scores_at(logits, 0, 2): the scores behind the third token of the first sequence.
std::vector<double> scores_at(const Tensor& logits, std::int64_t sequence, std::int64_t position);

}  // namespace headlight
