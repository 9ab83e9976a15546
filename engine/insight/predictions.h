// What a model says of the token that follows at every position of a trace: the best candidates, and how surprised it is by the
// token that really follows.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/token_choice.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// Whether the model predicts the token behind each position: it has logits, and no position sees those behind it.
bool predicts_next(const Trace& trace);
// The sentence whose next token is predicted: a decoder's text, an encoder-decoder's target.
const Sentence& predicted_sentence(const Trace& trace, std::int64_t batch);
const tokenizers::Tokenizer& predicted_tokenizer(const Trace& trace);

struct Predictions {
  struct Position {
    std::vector<TokenCandidate> best;  // at temperature 1, best first
    std::int32_t follows = -1;         // the id of the token that stands next; -1: nothing follows, and the rest is not set
    double probability = 0;            // of that token
    double loss = 0;                   // -ln probability, in nats
    std::int64_t rank = 0;             // 1: it is the best; of equal scores the lower id is the better one
    std::uint64_t bytes() const { return sizeof *this + best.size() * sizeof(TokenCandidate); }
  };
  std::vector<Position> positions;  // one a token of the sentence
  double mean_loss = 0;             // over the positions behind which a token follows; NaN: there is none
  std::int64_t vocabulary = 0;
  std::uint64_t bytes() const;
};

// Of one sentence of the batch; `most` candidates are listed of each position. Errors: the model predicts nothing (not_found),
// there is no such sentence, the trace's own, cancelled.
Result<Predictions> predictions(const Trace& trace, std::int64_t batch, std::size_t most, const CancelToken& cancel);

// The logits behind one position, in double: [vocabulary]. Errors: the trace's own, or there are no logits.
Result<std::vector<double>> scores_behind(const Trace& trace, std::int64_t batch, std::int64_t position);

}  // namespace headlight
