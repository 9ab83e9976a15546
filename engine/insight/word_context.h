// One word in several texts: how its vectors move apart from layer to layer, and the words that they come near to.
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
    // Between the word's vectors in texts i and j: [texts][texts]. The cosine, and the length of the difference.
    std::vector<std::vector<double>> cosine, distance;
    // Each probe's cosine with the word's vector in every text.
    std::vector<std::pair<std::string, std::vector<double>>> probes;
  };
  std::vector<Layer> layers;

  // All vectors in one plane that is fitted to all of them together. Each text has the word's path: [texts][layers.size()]. Where
  // positions are added to the embedding, one more point stands in front: the embedding alone.
  std::vector<std::vector<std::array<double, 2>>> paths;
  bool from_before_positions = false;  // the paths begin with that point
  std::array<double, 2> share{0, 0};   // of the variance of all points, along the plane's two axes

  std::vector<std::shared_ptr<const WordInText>> texts;
};

// The same word in texts of one model.
// compare_words({first, second}, {}): layers[0].cosine is 2 x 2 with 1 on the diagonal.
WordContext compare_words(std::vector<std::shared_ptr<const WordInText>> texts,
                          const std::vector<std::shared_ptr<const ProbeWord>>& probes);

// The word is found where it first stands by itself in each text. A word of several tokens has the vector of its last token. A
// probe's vector is the embedding row of the probe's last token within a sentence. Of an encoder-decoder the encoder reads the
// texts. Errors (usage): fewer than two texts, a text without the word; those of the model and of run().
// word_context(document, backend, "bank", {"the river bank", "the bank paid"}, {"money"}, cancel).
Result<WordContext> word_context(const Document& model, backends::Backend& backend, const std::string& word,
                                 const std::vector<std::string>& texts, const std::vector<std::string>& probes,
                                 const CancelToken& cancel);
Result<WordContext> word_context(const StoredModel& model, backends::Backend& backend, const std::string& word,
                                 const std::vector<std::string>& texts, const std::vector<std::string>& probes,
                                 const CancelToken& cancel);

}  // namespace headlight
