// The interface of splitters and their registry. A splitter cuts a normalised text into words, which are then given to a model
// (published files call it "pre-tokenizer"). One file a kind.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/registry_stage.h"
#include "engine/text/normalized.h"

namespace headlight::text {

// A text and the words that it is cut into so far: byte ranges of text.text(), not empty, in order, without overlap. Bytes
// between the words reach no model.
struct Split {
  Normalized text;
  std::vector<Span> words;
  bool at_start = true;  // the text stands at the beginning of the input, and not behind an added token
};

class Splitter {
 public:
  virtual ~Splitter() = default;
  // Cuts every word further. It may also write the words anew, for example in another alphabet. Any bytes are accepted.
  virtual void split(Split& split) const = 0;
  // Whether a long text may be split part by part: the parts that part_end() cuts must have the words of the whole text.
  virtual bool may_cut() const = 0;
};

struct SplitterEntry {
  std::string id, label, formula, source;
  std::vector<Parameter> parameters;
  Result<std::shared_ptr<const Splitter>> (*make)(const Values& values) = nullptr;
};

const Registry<SplitterEntry>& splitter_registry();

using Splitters = std::vector<Stage<Splitter>>;
// The splitters of the choices, which cut in this order. Errors: make_stage's.
Result<Splitters> make_splitters(const std::vector<Choice>& choices);
// The words after all splitters. Without splitters the text is one word; an empty text has no words.
// split(Normalized("the dog"), {}) gives the one word [0, 7).
Split split(Normalized text, const Splitters& splitters, bool at_start = true);

// Replaces every word by the ranges that cut(word) returns, which are relative to the word. A cut that returns {{0, 1}, {1, 3}}
// for the word [5, 8) makes it the words [5, 6) and [6, 8).
template <class Cut>
void refine(Split& split, Cut cut) {
  const std::string_view text = split.text.text();
  if (split.words == std::vector<Span>{{0, static_cast<std::int64_t>(text.size())}}) {  // the first splitter: nothing to move
    split.words = cut(text);
    return;
  }
  std::vector<Span> words;
  for (const Span& word : split.words)
    for (const Span& part :
         cut(text.substr(static_cast<std::size_t>(word.start), static_cast<std::size_t>(word.end - word.start))))
      words.push_back({word.start + part.start, word.start + part.end});
  split.words = std::move(words);
}

// The entries, each in its own file.
SplitterEntry words();
SplitterEntry gpt2();
SplitterEntry cl100k();
SplitterEntry graphemes();
SplitterEntry byte_level();
SplitterEntry pattern();
SplitterEntry punctuation();
SplitterEntry metaspace();
SplitterEntry prefix_space();
SplitterEntry scripts();
SplitterEntry fixed_length();

}  // namespace headlight::text
