// Which head matters here: every head of a trained model is taken out in turn, alone, and what becomes of one predicted token is
// compared with before. It measures what the model does without the head; the head's weights alone do not tell that.
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

// What a trace says of one token behind one position of its first text (of its first target where it has one).
struct TokenOutlook {
  double logit = 0, probability = 0;
  std::optional<double> loss;  // mean -ln p of the tokens that really follow, in nats; none: nothing follows, or it fills in
};

struct HeadEffects {
  std::int64_t position = 0;  // the token is predicted behind it, or of a model that fills in at it
  std::int32_t token = 0;
  std::string label;  // the token as it is shown
  TokenOutlook with;
  struct Head {
    std::string prefix;  // AttentionSite::prefix
    std::int64_t layer = 0, head = 0;
    TokenOutlook without;
  };
  std::vector<Head> heads;  // sites in the order of Trace::sites(), their heads from 0
};

struct HeadEffectsQuestion {
  std::optional<std::int64_t> position;  // none: the last before an [EOS]; of a model that fills in the first [MASK]
  std::optional<std::int32_t> token;     // none: the most probable one
  bool mean = false;                     // a head is replaced by its mean over the positions, not by 0
};

// Errors: the document's model predicts nothing (usage); a position or token that there is not; run()'s; cancelled. `progress`:
// heads done and all of them. Interventions of the document stay, except what else becomes of the head's sum. Only what is behind
// the changed head is computed again.
Result<HeadEffects> head_effects(const Document& document, backends::Backend& backend, const HeadEffectsQuestion& question,
                                 const CancelToken& cancel, const std::function<void(std::int64_t, std::int64_t)>& progress = {});

// What one trace says. Errors: as above.
Result<TokenOutlook> token_outlook(const Trace& trace, std::int64_t position, std::int32_t token);
// The position and the token that a question means in this trace.
Result<std::int64_t> predicted_position(const Trace& trace, const std::optional<std::int64_t>& position);
Result<std::int32_t> most_probable(const Trace& trace, std::int64_t position);
// The token of the output's vocabulary that a word begins with, written as within a sentence. Error (usage): there is none.
Result<std::int32_t> token_of_word(const Trace& trace, const std::string& word);

// A document without one head more: any other output of this head is taken back.
Document without_head(Document document, const ModelAddress& head, bool mean);

}  // namespace headlight
