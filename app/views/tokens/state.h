// What the Tokens view saves.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/fields/fields.h"

namespace headlight::views::tokens {

struct State {
  std::string picture = "rows";  // rows, measured, word, languages, training
  // The tokenizers side by side, by the names that tokenizers::open() takes; empty: the bundled ones and the document's.
  std::vector<std::string> rows;
  std::string pinned;                               // the tokenizer of the pinned token; empty: none is pinned
  std::int64_t pinned_start = -1, pinned_end = -1;  // and the bytes of the sentence that it stands for
  std::string second;                               // whose stages stand below those of the token's tokenizer
  std::string columns = "characters";               // what has the same width: characters, bytes
  std::string word;                                 // of "one word"; empty: the pinned one, else the longest of the sentence
  std::string unigram, wordpiece, bpe;              // the tokenizers of "one word"; empty: the first of each kind
  std::vector<std::int64_t> forbidden;              // ids that the unigram's paths must not use
  std::int64_t path = 0;                            // which of its paths is amber
  std::string table;                                // of the languages: a file; empty: the program's own sentences
  std::string language, sorted_by;                  // the chosen language; the tokenizer that orders them
  std::string measured_on;                          // "": the sentence; "sample": the sample corpus; else a file
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::tokens
