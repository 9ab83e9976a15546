// The kinds of tokenizer that we train, as chains of stages.
#pragma once

#include <string>
#include <vector>

#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

struct KindOptions {
  bool bytes = true;              // BPE: over bytes, not over characters
  std::string splitter = "gpt2";  // BPE: "gpt2" or "words"
  std::vector<Choice> normalizers = {};
};
// The plan of "characters", "words", "bpe", "wordpiece" or "unigram" around `vocabulary`: its splitter and decoder, and a
// post-processor that puts the begin token before a sentence and the end token after it, if the vocabulary has them.
// plan_of("words", vocabulary) has the splitter "words" and the decoder "words".
TokenizerPlan plan_of(const std::string& kind, Vocabulary vocabulary, Merges merges = {}, const KindOptions& options = {});

}  // namespace headlight::tokenizers
