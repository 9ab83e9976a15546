// One word in one text: its tokens, its vector before and behind every layer, and the tokens that it cannot see.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct WordInText {
  std::shared_ptr<const Trace> trace;        // of the text alone
  std::string stack;                         // the layers that read the text: "", or "encoder." of a model that reads two texts
  std::int64_t first = 0, row = 0;           // the word's first and last token; the vectors are the last token's
  bool unknown = false;                      // the vocabulary lacks the word: its vectors are those of [UNK]
  std::vector<std::vector<double>> vectors;  // [layers + 1][d_model]: the first layer's input, then the stream behind each layer
  std::vector<double> before_positions;      // [d_model], the embedding alone; empty where no positions are added to it
  std::vector<bool> hidden;                  // [tokens], true: no layer's mask lets the token reach the word

  const Sentence& sentence() const { return trace->texts().front(); }
  std::uint64_t bytes() const { return trace->bytes(); }
};

// `text` replaces the texts of `model`. A painted mask, which fits one text alone, is left out; all other fields count. The word
// is found where it first stands by itself, in its own letters or else in any case. `number`, from 0, names the text in errors.
// `most_tokens`: 0: any. Errors (usage): an empty word, a text without the word, a text of more tokens; those of run().
// word_in_text(document, backend, "bank", "the river bank", 0, 0, cancel): the word's vectors in this text.
Result<WordInText> word_in_text(const Document& model, backends::Backend& backend, const std::string& word,
                                const std::string& text, std::size_t number, std::int64_t most_tokens, const CancelToken& cancel);

// A word whose embedding is compared with other vectors.
struct ProbeWord {
  std::string word;
  std::vector<double> vector;  // [d_model], the embedding row of the word's last token within a sentence
  bool unknown = false;        // the vocabulary lacks the word: the row is that of [UNK]
};
// probe_word(document, backend, "money", cancel): the embedding row of " money".
Result<ProbeWord> probe_word(const Document& model, backends::Backend& backend, const std::string& word,
                             const CancelToken& cancel);

// Whether the text has the word as word_in_text() looks for it.
// has_word("the River bank", "river") is true, has_word("rivers", "river") is false.
bool has_word(const std::string& text, const std::string& word);
// The first and the last token of the word; none: the sentence does not have the word.
// tokens_of_word(sentence, "bites") of "man bites dog" in whole words gives (1, 1).
std::optional<std::pair<std::int64_t, std::int64_t>> tokens_of_word(const Sentence& sentence, const std::string& word);

}  // namespace headlight
