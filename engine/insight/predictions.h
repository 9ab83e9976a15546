// The model's predictions of the next token at every position of a trace: the best candidates, and the loss of the token that
// really follows.
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

// Whether the model predicts the token behind each position: it has logits, and no position sees later positions.
bool predicts_next(const Trace& trace);
// The sentence whose next token is predicted: a decoder's text, an encoder-decoder's target.
// predicted_sentence(*trace, 0): the first target, or the first text of a trace without targets.
const Sentence& predicted_sentence(const Trace& trace, std::int64_t batch);
const tokenizers::Tokenizer& predicted_tokenizer(const Trace& trace);

struct Predictions {
  struct Position {
    std::vector<TokenCandidate> best;  // at temperature 1, best first
    std::int32_t follows = -1;         // the id of the next token; -1: the sentence ends here, and the fields below are not set
    double probability = 0;            // of the token `follows`
    double loss = 0;                   // -ln probability, in nats
    std::int64_t rank = 0;             // of the token `follows`; 1: it is the best; of equal scores the lower id ranks first
    std::uint64_t bytes() const { return sizeof *this + best.size() * sizeof(TokenCandidate); }
  };
  std::vector<Position> positions;  // one a token of the sentence
  double mean_loss = 0;             // over the positions behind which a token follows; NaN: there are none
  std::int64_t vocabulary = 0;
  std::uint64_t bytes() const;
};

// One sentence of the batch; `most` candidates are listed for each position. Errors: the model predicts nothing (not_found), no
// such sentence, the trace's own, cancelled.
// predictions(*trace, 0, 5, cancel): the five best candidates behind each token of the first sentence.
Result<Predictions> predictions(const Trace& trace, std::int64_t batch, std::size_t most, const CancelToken& cancel);

// The logits behind one position, in double: [vocabulary]. Errors: the trace's own, or the model has no logits.
// scores_behind(*trace, 0, 5): the logits of the token that follows the sixth one.
Result<std::vector<double>> scores_behind(const Trace& trace, std::int64_t batch, std::int64_t position);

// Whether each query also writes a token, the target's next one. The rows of a file's weights without queries do not.
bool writes_words(const AttentionSite& site);
// The names of a target's queries by the tokens that they write: `read`, the names of what they have read, moved on by one. The
// last query is named by `guess`, or by the model's best guess, or by "…" if it has none. Names behind the target's end stay.
// written_names(*trace, 0, {"<s>", "Le", "chat"}) is {"Le", "chat", "."} if the model goes on with ".".
std::vector<std::string> written_names(const Trace& trace, std::int64_t batch, std::vector<std::string> read,
                                       const std::string& guess = {});
// The model's best guess behind a position; "…": it has none. best_guess(*trace, 0, 2) may be ".".
std::string best_guess(const Trace& trace, std::int64_t batch, std::int64_t position);

}  // namespace headlight
