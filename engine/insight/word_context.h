// One word in several texts: how its vectors move apart from layer to layer, and what they come near to.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/stored_model.h"
#include "engine/insight/word_in_text.h"

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

  // All vectors in one plane, fitted to all of them together. Of each text the path of the word: [texts][layers.size()], and in
  // front of it, where positions are added to the embedding, one point more: the embedding alone.
  std::vector<std::vector<std::array<double, 2>>> paths;
  bool from_before_positions = false;  // the paths begin with that point
  std::array<double, 2> share{0, 0};   // of the variance of all points, along the plane's two axes

  std::vector<std::shared_ptr<const WordInText>> texts;
};

// Of texts of one model.
WordContext compare_words(std::vector<std::shared_ptr<const WordInText>> texts,
                          const std::vector<std::shared_ptr<const ProbeWord>>& probes);

// The word is found where it first stands by itself in each text; if it is several tokens, the last one's vector counts. A
// probe's vector is its row of the embedding table, as a word within a sentence (its last token's). Of an encoder-decoder the
// encoder reads the texts. Errors (usage): fewer than two texts, a text without the word; the model's and run()'s.
Result<WordContext> word_context(const Document& model, backends::Backend& backend, const std::string& word,
                                 const std::vector<std::string>& texts, const std::vector<std::string>& probes,
                                 const CancelToken& cancel);
Result<WordContext> word_context(const StoredModel& model, backends::Backend& backend, const std::string& word,
                                 const std::vector<std::string>& texts, const std::vector<std::string>& probes,
                                 const CancelToken& cancel);

}  // namespace headlight
