// The entries of the registry, one a kind: each is made in its own file. And what their trainers share.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/text/normalizers/normalize.h"
#include "engine/text/splitters/pre_tokenize.h"
#include "engine/tokenizers/tokenizer.h"
#include "engine/tokenizers/vocabulary.h"

namespace headlight::tokenizers {

Entry characters_entry();
Entry words_entry();
Entry bpe_entry();
Entry wordpiece_entry();

inline constexpr std::int64_t kMostPieces = 1'000'000;
inline constexpr std::size_t kFilmWords = 1000;  // Training::words

// What "lowercase" does before words are counted or encoded: composed forms, small letters.
std::vector<text::Normalizer> normalizers_for(const TrainingOptions& options);

// The words of a text (normalised first), each once with its count, in order of first appearance; `progress` is told bytes.
Result<std::vector<WordCount>> count_spans(std::string_view text, text::PreTokenizer pre_tokenizer,
                                           const std::vector<text::Normalizer>& normalizers,
                                           const std::function<void(std::int64_t, std::int64_t)>& progress,
                                           const CancelToken& cancel);
// Normalises given words and joins those that become equal. Errors: no words, a count below 1.
Result<std::vector<WordCount>> checked_corpus(const std::vector<WordCount>& corpus,
                                              const std::vector<text::Normalizer>& normalizers);
// Errors unless alphabet + special tokens <= options.vocabulary_size <= kMostPieces; `what` is "characters of the corpus".
Status check_vocabulary_size(const TrainingOptions& options, std::int64_t alphabet, const std::string& what);

// Calls visit(word, source) for every word of the normalised text, where source(start, end) is the range of `input` that bytes
// [start, end) of the word came from. Stops with an error when cancelled.
Status for_each_word(
    std::string_view input, const std::vector<text::Normalizer>& normalizers, const CancelToken& cancel,
    const std::function<void(std::string_view, const std::function<text::Span(std::int64_t, std::int64_t)>&)>& visit);

// Words and characters: adds the most frequent entries (ties: first in corpus order) until the vocabulary has
// options.vocabulary_size pieces, one TrainingStep each, with the next in line as candidates. Special tokens' names are left out.
void add_most_frequent(std::vector<WordCount> entries, const TrainingOptions& options, Vocabulary& vocabulary,
                       Training& training);

}  // namespace headlight::tokenizers
