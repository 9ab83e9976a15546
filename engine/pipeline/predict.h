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

namespace headlight {

using TokenIds = std::vector<std::int32_t>;
struct ContinuedModel;  // continuation.h

// The weights of one attention in every layer of a batch.
struct SiteWeights {
  AttentionSite site;  // with its mask
  Tensor weights;      // [batch, head, query, key]
};

class Predictor {
 public:
  // Opens the model's weights and tokenizers. Errors: open_stored_model's and the weights'.
  static Result<Predictor> open(std::shared_ptr<const StoredModel> model, std::shared_ptr<backends::Backend> backend);

  const StoredModel& model() const { return *model_; }
  const tokenizers::Tokenizer& tokenizer() const { return *tokenizer_; }
  // Of what is predicted: the targets' where the model reads two texts.
  const tokenizers::Tokenizer& output_tokenizer() const { return *target_tokenizer_; }
  bool reads_two() const { return model_->task == ModelTask::encoder_decoder; }

  // The model's tokens of one text, with what ends_of() puts around it: of a text that it reads whole (the source of an
  // encoder-decoder), or of the beginning of one that it continues (without [EOS]). Errors: the tokenizer's; more tokens than the
  // model was trained on, where it reads them whole.
  Result<TokenIds> source(std::string_view text, const std::string& where, const CancelToken& cancel) const;
  Result<TokenIds> beginning(std::string_view text, const CancelToken& cancel) const;

  // The token that an encoder-decoder begins its output from. Error: its tokenizer has none.
  Result<std::int32_t> first_output() const;

  // logits[b, i, t]: the score of token t behind position i, before softmax. [batch, longest, vocabulary], float32 or the
  // reference's double; rows behind the end of a shorter sequence have no meaning. `targets`: one a text where the model reads
  // two, else none; no sequence is empty.
  Result<Tensor> logits(std::span<const TokenIds> texts, std::span<const TokenIds> targets, const CancelToken& cancel) const;
  // What every attention attends to, in the order of computation, likewise.
  Result<std::vector<SiteWeights>> attention(std::span<const TokenIds> texts, std::span<const TokenIds> targets,
                                             const CancelToken& cancel) const;
  // The same model, for texts that grow token by token.
  std::shared_ptr<const ContinuedModel> continued() const;
  // How many sequences of this length one call of logits() should have, so that its result takes at most 64 MB.
  std::int64_t good_batch(std::int64_t length) const;

 private:
  struct Planned;
  Result<TokenIds> ids_of(std::string_view text, const SentenceEnds& ends, const CancelToken& cancel) const;
  Predictor() = default;
  Result<Planned> plan(std::span<const TokenIds> texts, std::span<const TokenIds> targets) const;
  Result<std::vector<Tensor>> compute(Planned& planned, const std::vector<std::size_t>& wanted, const CancelToken& cancel) const;

  std::shared_ptr<const StoredModel> model_;
  std::shared_ptr<backends::Backend> backend_;
  std::shared_ptr<const models::Weights> weights_;
  std::shared_ptr<const tokenizers::Tokenizer> tokenizer_, target_tokenizer_;
  // What an encoder made of the texts is found again while the targets grow.
  std::shared_ptr<StepCache> cache_;
};

// ln softmax(scores)[token], in double.
double log_probability(std::span<const double> scores, std::int32_t token);
// One row of logits as double: position `position` of sequence `sequence`.
std::vector<double> scores_at(const Tensor& logits, std::int64_t sequence, std::int64_t position);

}  // namespace headlight
