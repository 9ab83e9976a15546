// The loss of a model on a text, or on the targets of pairs.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

#include "engine/pipeline/predict.h"

namespace headlight {

struct Evaluation {
  std::int64_t tokens = 0;                 // predicted tokens, among them the [EOS] of targets
  std::int64_t bytes = 0;                  // of the text that the tokens stand for
  double nats = 0;                         // the sum of -ln p(token | the tokens that the model reads)
  std::int64_t not_finite = 0;             // tokens whose -ln p is NaN or infinite
  std::int64_t first = 0, among_five = 0;  // tokens that were the most probable one, or among the five most probable

  double nats_per_token() const;
  double bits_per_byte() const;  // nats / ln 2 / bytes
  double perplexity() const;     // e^(nats per token)
  double first_share() const;    // first / tokens
  double five_share() const;     // among_five / tokens
};

using EvaluationProgress = std::function<void(std::int64_t done, std::int64_t total)>;

// A decoder predicts a text token by token. Each line is a text for the model, with an [EOS] behind it that counts as the byte of
// the line's end; empty lines do not count. (Without an [EOS] in the vocabulary the lines are one text.) Windows of the model's
// length overlap by half. In the first window a token is predicted from all tokens before it; later windows predict only tokens
// with at least half a window before them, so that each token is predicted once. The first token of the text is not predicted if
// no token stands before it. Errors: a model of another task (usage), a text too short, cancelled.
// evaluate_text(predictor, "the cat\nthe dog\n", "test.txt", cancel): perplexity() of two short texts.
Result<Evaluation> evaluate_text(const Predictor& predictor, std::string_view text, const std::string& where,
                                 const CancelToken& cancel, const EvaluationProgress& progress = {});

// An encoder fills in a text: a seeded 15% of its tokens are replaced by [MASK] and predicted, in windows of the model's length
// side by side; lines as above. Errors: a model of another task (usage), a tokenizer without [MASK], a text too short, cancelled.
// evaluate_masked(predictor, text, "test.txt", cancel): tokens is about 15% of the text's tokens.
Result<Evaluation> evaluate_masked(const Predictor& predictor, std::string_view text, const std::string& where,
                                   const CancelToken& cancel, const EvaluationProgress& progress = {});

// Pairs as read_pairs() reads them: the target's tokens and its [EOS] are predicted given the text. Errors: a model of another
// task (usage), those of read_pairs(), cancelled.
// evaluate_pairs(predictor, "the cat\tle chat\n", "test.tsv", cancel): the loss of one translation.
Result<Evaluation> evaluate_pairs(const Predictor& predictor, std::string_view text, const std::string& where,
                                  const CancelToken& cancel, const EvaluationProgress& progress = {});

}  // namespace headlight
