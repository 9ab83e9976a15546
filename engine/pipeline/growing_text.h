// One text of a document's model that grows or changes at its end: the scores of the next token behind any tokens, computed with
// the keys and values that are kept of those they begin with.
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
  // Of the stored model that the document names, with the document's masks, score, scale, temperature and given matrices.
  // `source`: what an encoder-decoder reads; else empty. Errors: the model's; it continues nothing (usage); its masks let a token
  // see those behind it, so that no row can be kept.
  static Result<GrowingText> open(const Document& document, TokenIds source, std::shared_ptr<backends::Backend> backend);

  // The logits behind `tokens`, at least one: [vocabulary]. Of what the last call had in common with them nothing is computed
  // again, except the last token. Errors: more tokens than the model reads; the backend's; cancelled. After an error the next
  // call begins anew.
  Result<std::vector<double>> scores_behind(const TokenIds& tokens, const CancelToken& cancel);

  // ln of the probability of `added` behind `tokens`, by the chain rule: the sum over its tokens, each given those before it.
  // log_probabilities[i]: of added[i].
  Result<std::vector<double>> log_probabilities(const TokenIds& tokens, const TokenIds& added, const CancelToken& cancel);

  std::int64_t length() const { return model_->length; }  // tokens of the longest text that it reads

 private:
  GrowingText() = default;

  std::shared_ptr<const ContinuedModel> model_;
  TokenIds source_;
  TokenIds held_;  // what the continuation has read
  std::unique_ptr<Continuation> continuation_;
};

}  // namespace headlight
