// Words instead of pieces: the tokens of one word taken together in a map of attention. The weight to a word is the sum over its
// pieces, and the weight from a word the mean over its pieces' rows, so that every row still sums to 1.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The tokens along one axis, word by word.
struct WordGroups {
  struct Word {
    std::int64_t begin = 0, end = 0;  // its tokens
    std::string label;                // a word of several tokens as it stands in the text; without the space before it
  };
  std::vector<Word> words;  // one after the other, none empty

  std::int64_t size() const { return static_cast<std::int64_t>(words.size()); }
  std::int64_t tokens() const { return words.empty() ? 0 : words.back().end; }
  bool joins() const { return size() < tokens(); }  // a word has several tokens
  // The word that a token is in; -1: there is no such token.
  std::int64_t at(std::int64_t token) const;
  // The last token of a word, which has read all of it; -1: there is no such word.
  std::int64_t last_token(std::int64_t word) const;
  std::vector<std::string> labels() const;
  void leave_out_from(std::int64_t token);  // the words that begin there or behind it
};

// Groups of the tokens for which joins_to_words() or joins_by_marks() says so; every word has the labels of its tokens, joined.
// word_groups({false, false, true}, {"a", "verd", "ant"}) has the words "a" and "verdant".
WordGroups word_groups(const std::vector<bool>& joins, const std::vector<std::string>& labels);
// The words of a sentence. Behind its end, up to `length`, every token is a word "[PAD]"; tokens beyond `length` are left out.
// word_groups(sentence, tokenizer.get(), 12) of "a verdant wood" has words for 12 tokens.
WordGroups word_groups(const Sentence& sentence, const tokenizers::Tokenizer* tokenizer, std::int64_t length);
// The queries of a target, which write its tokens, by the words that they write: those of `read` moved on by one token. Of its
// `own` tokens the last one writes `guess`.
WordGroups written_groups(const WordGroups& read, std::int64_t own, const std::string& guess);

struct WordAxes {
  WordGroups rows, columns;
  bool joins() const { return rows.joins() || columns.joins(); }
};
// The words of both axes of an attention in one sentence. `written`: of cross-attention, the rows are the words that its queries
// write. word_axes(*trace, site, 0, false).columns.size() is the number of words that are looked at.
WordAxes word_axes(const Trace& trace, const AttentionSite& site, std::int64_t batch, bool written);

// Weights f32 or f64 [rows, columns] of the groups' tokens as [words, words], of the same type; sums are made in double. A masked
// cell counts as no cell; a piece whose row is masked as a whole does not count in the mean. What is not finite goes through.
// mask: u8 of the same shape, or empty. words_weights(w, {}, {rows, columns}) of {{.1, .2, .7}, {.3, .3, .4}}, where both rows
// are one word and the last two columns another, is {{.2, .8}}.
Tensor words_weights(const Tensor& weights, const Tensor& mask, const WordAxes& axes);
// The same of all heads of an attention in one sentence, [head, query, key] -> [head, word, word], with each head's own mask.
Tensor words_of_heads(const Tensor& weights, const AttentionSite& site, std::int64_t batch, const WordAxes& axes);
// The mask of words: 0 only where every cell of the pieces is 0; empty for an empty one.
Tensor words_mask(const Tensor& mask, const WordAxes& axes);

}  // namespace headlight
