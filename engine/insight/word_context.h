// One word in several texts: how its vectors move apart from layer to layer, and what they come near to.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/stored_model.h"

namespace headlight {

struct WordContext {
  struct Layer {
    std::int64_t layer = 0;  // 0: the embedding, with positions where they are added to it; n: the stream behind layer n - 1
    // Of the word's vectors in texts i and j: [texts][texts]. Cosine, and the length of the difference.
    std::vector<std::vector<double>> cosine, distance;
    // Each probe's cosine with the word's vector in every text.
    std::vector<std::pair<std::string, std::vector<double>>> probes;
  };
  std::vector<Layer> layers;
};

// The word is found where it first stands by itself in each text; if it is several tokens, the last one's vector counts. A
// probe's vector is its row of the embedding table, as a word within a sentence (its last token's). Of an encoder-decoder the
// encoder reads the texts. Errors (usage): fewer than two texts, a text without the word; the model's and run()'s.
Result<WordContext> word_context(const StoredModel& model, backends::Backend& backend, const std::string& word,
                                 const std::vector<std::string>& texts, const std::vector<std::string>& probes,
                                 const CancelToken& cancel);

}  // namespace headlight
