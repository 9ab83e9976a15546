// How well a model predicts a text, or the targets of pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/pipeline/predict.h"

namespace headlight {

struct Evaluation {
  std::int64_t tokens = 0;                 // that were predicted; [EOS] of a target is one
  std::int64_t bytes = 0;                  // of the text that they stand for
  double nats = 0;                         // the sum of -ln p(token | what is read)
  std::int64_t first = 0, among_five = 0;  // tokens that were the most probable ones, or among the five most probable

  double nats_per_token() const;
  double bits_per_byte() const;  // nats / ln 2 / bytes
  double perplexity() const;     // e^(nats per token)
  double first_share() const;    // first / tokens
  double five_share() const;     // among_five / tokens
};

using EvaluationProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// A text that a decoder predicts token by token. Each of its lines is a text for the model: behind it stands [EOS], which counts
// as the byte that ends the line; empty lines count for nothing. (Without an [EOS] in the vocabulary the lines are one text.)
// Windows of the model's length begin half of it behind one another: in the first one a token has before it what there is, later
// ones are scored once, with at least half a window before them. Where nothing stands before the first token, it is not
// predicted. Errors: a model of another task (usage), an empty text, cancelled.
Result<Evaluation> evaluate_text(const Predictor& predictor, std::string_view text, const std::string& where,
                                 const CancelToken& cancel, const EvaluationProgress& progress = {});

// A text that an encoder fills in: of its tokens a seeded 15% are replaced by [MASK] and asked for, in windows of the model's
// length side by side; lines as above. Errors: a model of another task (usage), a tokenizer without [MASK], a text too short,
// cancelled.
Result<Evaluation> evaluate_masked(const Predictor& predictor, std::string_view text, const std::string& where,
                                   const CancelToken& cancel, const EvaluationProgress& progress = {});

// Pairs as read_pairs() reads them: the target's tokens and its [EOS] are predicted given the text. Errors: a model of another
// task (usage), read_pairs()'s, cancelled.
Result<Evaluation> evaluate_pairs(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const CancelToken& cancel, const EvaluationProgress& progress = {});

}  // namespace headlight
