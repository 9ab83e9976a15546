// One word in one text: where it stands, its vector before and behind every layer, and which tokens it cannot see.
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
  std::string stack;                         // of the layers that read it: "", or "encoder." of a model that reads two texts
  std::int64_t first = 0, row = 0;           // the word's first and last token; the last one's vectors count
  bool unknown = false;                      // the vocabulary lacks the word: its vectors are those of [UNK]
  std::vector<std::vector<double>> vectors;  // [layers + 1][d_model]: what enters the first layer, then the stream behind each
  std::vector<double> before_positions;      // [d_model], the embedding alone; empty where no positions are added to it
  std::vector<bool> hidden;                  // by token: no layer's mask lets it reach the word

  const Sentence& sentence() const { return trace->texts().front(); }
  std::uint64_t bytes() const { return trace->bytes(); }
};

// `model`: its texts count for nothing, all else is computed as it says, but for a painted mask, which fits one text alone. The
// word is found where it first stands by itself, in its own letters or else in any case. `number`, from 0, names the text in
// errors. `most_tokens`: 0: any. Errors (usage): an empty word or text, a text without the word, or of more tokens; run()'s.
Result<WordInText> word_in_text(const Document& model, backends::Backend& backend, const std::string& word,
                                const std::string& text, std::size_t number, std::int64_t most_tokens, const CancelToken& cancel);

// A word whose embedding others are compared with.
struct ProbeWord {
  std::string word;
  std::vector<double> vector;  // [d_model], its row of the embedding table, as a word within a sentence (its last token's)
  bool unknown = false;        // the vocabulary lacks it: the row is that of [UNK]
};
Result<ProbeWord> probe_word(const Document& model, backends::Backend& backend, const std::string& word,
                             const CancelToken& cancel);

// Whether the text has the word as word_in_text() looks for it.
bool has_word(const std::string& text, const std::string& word);
// The first and the last token of the word, where the sentence has it.
std::optional<std::pair<std::int64_t, std::int64_t>> tokens_of_word(const Sentence& sentence, const std::string& word);

}  // namespace headlight
