// How well a model predicts a text, or the targets of pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/pipeline/predict.h"

namespace headlight {

struct Evaluation {
  std::int64_t tokens = 0;  // that were predicted; [EOS] of a target is one
  std::int64_t bytes = 0;   // of the text that they stand for
  double nats = 0;          // the sum of -ln p(token | what comes before)

  double nats_per_token() const;
  double bits_per_byte() const;  // nats / ln 2 / bytes
  double perplexity() const;     // e^(nats per token)
};

using EvaluationProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// A text that a decoder predicts token by token: windows of the model's length, each half of it behind the one before. The first
// window's tokens have what comes before them in it; every later token is scored once, with at least half a window before it.
// Where the model has no [BOS], the first token is not predicted. Errors: a model of another task (usage), an empty text,
// cancelled.
Result<Evaluation> evaluate_text(const Predictor& predictor, std::string_view text, const std::string& where,
                                 const CancelToken& cancel, const EvaluationProgress& progress = {});

// Pairs as read_pairs() reads them: the target's tokens and its [EOS] are predicted given the text. Errors: a model of another
// task (usage), read_pairs()'s, cancelled.
Result<Evaluation> evaluate_pairs(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const CancelToken& cancel, const EvaluationProgress& progress = {});

}  // namespace headlight
