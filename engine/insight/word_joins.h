// Which tokens of a sentence continue the word before them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pipeline/trace.h"

namespace headlight {

// By token. A token that follows without a space belongs to the word before it; punctuation, ideographs and special tokens stand
// alone. Of the tokens "rhododend" and "rons" of one word the second is true.
std::vector<bool> joins_to_words(std::string_view text, std::span<const tokenizers::Token> tokens);
std::vector<bool> joins_to_words(const Sentence& sentence);

// The same by the tokenizer's own splitter: the tokens of one of its words belong together, whatever signs the splitter leaves in
// a word. Whitespace inside of such a word begins another one, and a splitter that cuts at every character leaves whitespace
// alone to say where words begin. Special tokens and ideographs stand alone. A null tokenizer: as above. WordPiece cuts "it's" to
// three words, and SentencePiece's spaces leave it one.
std::vector<bool> joins_to_words(const Sentence& sentence, const tokenizers::Tokenizer* tokenizer);

// The same of pieces without a text, where their marks tell: a space, GPT's "Ġ" or SentencePiece's "▁" begins a word, and BERT's
// "##" continues one. Without a mark nothing joins. Of "a", "Ġfl", "uffy" the third is true.
std::vector<bool> joins_by_marks(const std::vector<std::string>& pieces);
// A piece without such a mark: without_word_mark("Ġfl") is "fl".
std::string without_word_mark(const std::string& piece);

}  // namespace headlight
