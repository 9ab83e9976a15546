// Which head matters here: every head of a trained model is taken out in turn, alone, and the prediction of one token is compared
// with the prediction of the whole model. The comparison measures the model without the head, which the head's weights alone do
// not tell.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The model's prediction of one token behind one position of the first text (of the first target where the trace has targets).
struct TokenOutlook {
  double logit = 0, probability = 0;
  std::optional<double> loss;  // mean -ln p of the tokens that follow, in nats; none: no token follows, or the model fills in
};

struct HeadEffects {
  std::int64_t position = 0;  // the token is predicted behind it; a model that fills in predicts the token at it
  std::int32_t token = 0;
  std::string label;  // the token as the windows show it
  TokenOutlook with;  // the prediction of the whole model
  struct Head {
    std::string prefix;  // AttentionSite::prefix
    std::int64_t layer = 0, head = 0;
    TokenOutlook without;
  };
  std::vector<Head> heads;  // sites in the order of Trace::sites(), their heads from 0
};

struct HeadEffectsQuestion {
  std::optional<std::int64_t> position;  // none: the last position before an [EOS]; of a model that fills in the first [MASK]
  std::optional<std::int32_t> token;     // none: the most probable one
  bool mean = false;                     // a head is replaced by its mean over the positions, not by 0
};

// Errors: the document's model predicts nothing (usage); the text has no such position, or the vocabulary no such token (usage);
// those of run(); cancelled. `progress` is called with the number of heads that are done and the number of all heads.
// Interventions of the document stay in force, except other changes of the head's sum. Only steps behind the changed head are
// computed again.
// head_effects(document, backend, {}, cancel): the change of the most probable next token for each head that is taken out.
Result<HeadEffects> head_effects(const Document& document, backends::Backend& backend, const HeadEffectsQuestion& question,
                                 const CancelToken& cancel, const std::function<void(std::int64_t, std::int64_t)>& progress = {});

// The prediction in one trace. Errors: as above.
// token_outlook(*trace, 3, 262): the logit and the probability of token 262 behind the fourth token.
Result<TokenOutlook> token_outlook(const Trace& trace, std::int64_t position, std::int32_t token);
// The position that a question means in this trace. Error (usage): the text has no such position.
// predicted_position(*trace, {}) of a text of five tokens without [EOS] and [MASK] gives 4.
Result<std::int64_t> predicted_position(const Trace& trace, const std::optional<std::int64_t>& position);
// The most probable token behind a position; of equal ones the first.
// most_probable(*trace, 3): the token that the model expects behind the fourth token.
Result<std::int32_t> most_probable(const Trace& trace, std::int64_t position);
// The token of the output's vocabulary that a word begins with, written as within a sentence. Error (usage): there is none.
// token_of_word(*trace, "blue"): the token " blue", where the vocabulary has this word whole.
Result<std::int32_t> token_of_word(const Trace& trace, const std::string& word);

// A document with one head more taken out. Any other change of this head's output is removed. `mean`: the head gives its mean
// over the positions in place of 0.
// without_head(document, head, false): the document's model without this head.
Document without_head(Document document, const ModelAddress& head, bool mean);

}  // namespace headlight
