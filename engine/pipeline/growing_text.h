// One text of a document's model that grows or changes at its end. It gives the scores of the next token behind any tokens, and
// keeps the keys and values of the tokens that stay.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/pipeline/continuation.h"
#include "engine/pipeline/predict.h"

namespace headlight {

class GrowingText {
 public:
  // A text of the stored model that the document names, with the document's masks, score, scale, temperature, interventions and
  // given matrices. `source`: the text that an encoder-decoder reads; else empty. Errors: those of the model; a model that
  // continues no text (usage); masks or interventions by which an earlier row depends on later tokens, so that no row can be kept
  // (usage).
  // open(document, {}, backend): a text of a decoder.
  static Result<GrowingText> open(const Document& document, TokenIds source, std::shared_ptr<backends::Backend> backend);

  // The logits behind `tokens`, at least one: [vocabulary]. The tokens that the last call began with are not computed again,
  // except the last token of `tokens`. Errors: more tokens than the model reads; the backend's; cancelled. After an error the
  // next call begins anew.
  // scores_behind({5, 6, 7}, cancel) after scores_behind({5, 6}, cancel) computes one row.
  Result<std::vector<double>> scores_behind(const TokenIds& tokens, const CancelToken& cancel);

  // ln of the probability of each token of `added`, given `tokens` and the tokens of `added` before it. Their sum is ln of the
  // probability of `added` behind `tokens`, by the chain rule.
  // log_probabilities({5, 6}, {7, 8}, cancel): ln p(7 | 5 6) and ln p(8 | 5 6 7).
  Result<std::vector<double>> log_probabilities(const TokenIds& tokens, const TokenIds& added, const CancelToken& cancel);

  std::int64_t length() const { return model_->length; }  // tokens of the longest text that it reads

 private:
  GrowingText() = default;

  std::shared_ptr<const ContinuedModel> model_;
  TokenIds source_;
  TokenIds held_;  // the tokens that the continuation has read
  std::unique_ptr<Continuation> continuation_;
};

}  // namespace headlight
