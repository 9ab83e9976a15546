// Continuations of texts token by token, and translations.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/pipeline/predict.h"
#include "engine/pipeline/token_choice.h"

namespace headlight {

struct GenerateOptions : SamplingOptions {
  std::int64_t tokens = 50;      // the most tokens that are added to a text
  std::uint64_t seed = 0;        // step s of text n draws by (seed, n, s) alone
  std::int64_t candidates = 10;  // listed for each step, at most
};

struct Generated {
  using Candidate = TokenCandidate;
  struct Step {
    std::int32_t token = 0;  // the chosen token
    // Best first, of equal ones the lower id; the chosen token stands last if it is none of the best.
    std::vector<Candidate> candidates;
    double chance = 1;                   // the chosen token's share of the probability of all tokens that could be drawn
    std::int64_t nan = 0, infinite = 0;  // of the scores; minus infinity is a token that is never chosen
  };
  std::vector<Step> steps;
  std::string output;  // the tokens as text, without special ones
  bool ended = false;  // the last token is the end token
};

// Whether nothing follows the token in a text of the model: [EOS], or in a chat what ends each part of it, as <end_of_turn> does.
// `document`: says whether the text is a chat.
bool ends_text(const Document& document, const StoredModel* model, const tokenizers::Tokenizer& tokenizer, std::int32_t token);

// The token of step `step` of text `text`, chosen from the scores behind the tokens so far.
// choose_token({0, 1, 0}, {}, 0, 0) chooses token 1 with a chance of 1, since the temperature is 0.
Generated::Step choose_token(const std::vector<double>& scores, const GenerateOptions& options, std::size_t text,
                             std::size_t step);

// One result for each text, up to its end token or options.tokens. A decoder continues the text and reads at most as many of the
// last tokens as it was trained on; an encoder-decoder translates the text. `progress` is called with the number of texts that
// are done. Errors: a model that continues no text (usage), an empty text where the tokenizer has no [BOS], a source that is too
// long, cancelled.
// generate(predictor, {"the cat"}, {}, cancel): at most 50 tokens, each the most probable one behind the tokens so far.
Result<std::vector<Generated>> generate(const Predictor& predictor, const std::vector<std::string>& texts,
                                        const GenerateOptions& options, const CancelToken& cancel,
                                        const std::function<void(std::int64_t done, std::int64_t total)>& progress = {});

}  // namespace headlight
