// Token: a piece of a vocabulary at its place in a text.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace headlight::tokenizers {

struct Token {
  std::int32_t id = 0;
  std::string piece;       // as in the vocabulary: "Ġfluffy", "##ffy", "<0xE2>"; display_text() is for people
  std::int64_t start = 0;  // byte range [start, end) of the input; a token that stands for no text has start == end
  std::int64_t end = 0;
  bool added = false;  // an added token that the text itself names: "[MASK]"
  bool operator==(const Token&) const = default;
};

// The input of a model for one sentence or a pair: the sentences' tokens and the special tokens that were added.
struct Encoding {
  std::vector<Token> tokens;
  std::vector<std::int32_t> types;  // of each token: the type id, for which BERT adds an embedding (0: first sentence, 1: second)
  std::vector<std::int32_t> sentences;  // of each token: the sentence, 0 or 1, in which start and end count; -1: an added token
};

}  // namespace headlight::tokenizers
