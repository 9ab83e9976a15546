// The place of a sentence whose next token a model predicts, or which it fills in, and what stands in the text behind it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/views/base/context.h"
#include "engine/insight/predictions.h"
#include "engine/pipeline/predict.h"

namespace headlight::views {

// One position of one sentence, in a trace that predicts the next token or fills in the token at a position.
struct NextWordPlace {
  std::shared_ptr<const Trace> trace;
  std::int64_t batch = 0, position = 0;
  bool fills = false;  // the candidates are for the position itself, not for the next one
  const Sentence& sentence() const { return predicted_sentence(*trace, batch); }
  const tokenizers::Tokenizer& tokenizer() const { return predicted_tokenizer(*trace); }
  std::int64_t tokens() const { return static_cast<std::int64_t>(sentence().tokens.size()); }
  std::string label() const { return sentence().labels[static_cast<std::size_t>(position)]; }
  std::string word(std::int32_t token) const { return tokenizer().display_text(token); }
  bool masked() const;     // the token at the position is [MASK]
  TokenIds ids() const;    // of the sentence up to the position, which is included
  DerivedKey key() const;  // names the trace, the sentence and the position
};
// The end of the sentence, or the first [MASK] of a model that fills in. None if there is no trace, or if it predicts nothing.
std::optional<NextWordPlace> place_at_end(const Context& context);
// What the bundled model that fills in is good for, to be said where it is shown; null for any other model.
// good_for_filling("fill-in") is a sentence in English, good_for_filling("stories") is null.
const char* good_for_filling(const std::string& model);

// All candidates of one position, best first, with their logits.
struct RankedScores {
  std::vector<double> scores;              // by token
  std::vector<TokenCandidate> candidates;  // at temperature 1
  std::uint64_t bytes() const { return scores.size() * (sizeof(double) + sizeof(TokenCandidate)); }
};

SamplingOptions sampling_of(const SamplingState& view);
// Null while they are being computed.
// ranked_of(context, place)->candidates[0].token is the model's best guess.
std::shared_ptr<const RankedScores> ranked_of(const Context& context, const NextWordPlace& place);

// The document whose sentence ends with these tokens behind the place.
// continued_document(context, place, {token}) appends one token behind the place.
Document continued_document(const Context& context, const NextWordPlace& place, const TokenIds& added);
// The document with `token`, or with [MASK], in place of the position's token, for a model that fills in.
// filled_document(context, place, ranked->candidates[0].token) fills in the best guess.
Document filled_document(const Context& context, const NextWordPlace& place, std::int32_t token);

}  // namespace headlight::views
