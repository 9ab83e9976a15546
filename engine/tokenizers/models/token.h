// Token: a piece of a vocabulary where it stands in a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headlight::tokenizers {

struct Token {
  std::int32_t id = 0;
  std::string piece;       // as in the vocabulary, e.g. "Ġfluffy", "##ffy", "<0xE2>"; display_text() is for people
  std::int64_t start = 0;  // byte range [start, end) of the input; a token that stands for no text has start == end
  std::int64_t end = 0;
  bool operator==(const Token&) const = default;
};

// What a model reads for one sentence or a pair: the tokens with those that were added.
struct Encoding {
  std::vector<Token> tokens;
  std::vector<std::int32_t> types;  // one a token: the type id, which BERT adds an embedding for (0: first sentence, 1: second)
  std::vector<std::int32_t> sentences;  // one a token: 0 or 1, whose text start and end count in; -1: the token was added
};

}  // namespace headlight::tokenizers
