// Pre-tokenizers: where a text is cut before a model sees it. Pieces are byte ranges of the text, in order.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace headlight::text {

struct Span {
  std::int64_t start = 0, end = 0;  // bytes, [start, end)
  bool operator==(const Span&) const = default;
};

enum class PreTokenizer {
  words,  // cut at whitespace, which is left out; punctuation and Chinese characters stand alone (as BERT's)
  gpt2,   // GPT-2's pattern: the pieces cover the text, a word takes one space before it along
};
const char* name_of(PreTokenizer pre_tokenizer);  // "words", "gpt2"

// Devlin et al. 2018 (BERT), basic tokenisation: whitespace, punctuation, ideographs.
std::vector<Span> split_words(std::string_view text);
// Radford et al. 2019 (GPT-2):
//   's|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+
// Bytes that are no UTF-8 count as neither letter, number nor space.
std::vector<Span> split_gpt2(std::string_view text);
std::vector<Span> split(PreTokenizer pre_tokenizer, std::string_view text);

// The end of a part of `text` that begins at `begin` and holds at least `about` bytes (or the rest): part by part, either
// pre-tokenizer and every normaliser give what they give for the whole. Parts end before a newline that follows a visible
// character, so a text without lines is one part. For stopping in the middle of long work.
std::int64_t part_end(std::string_view text, std::int64_t begin, std::int64_t about = 1 << 16);

}  // namespace headlight::text
