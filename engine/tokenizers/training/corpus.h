// Shared by the trainers: the words of a corpus, and checks of the options.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizers/training/training.h"

namespace headlight::tokenizers {

inline constexpr std::int64_t kMostPieces = 1'000'000;
inline constexpr std::size_t kFilmWords = 1000;  // Training::words

// The normalisers of a training: with `lowercase` composed forms (NFC) and small letters, else none.
std::vector<Choice> normalizers_for(const TrainingOptions& options);

// The words of a text (normalised first), each once with its count, in order of first appearance; `progress` gets bytes.
// count_spans("a dog, a cat", "words", {}, {}, {}) gives a 2, dog 1, "," 1 and cat 1.
Result<std::vector<WordCount>> count_spans(std::string_view text, const std::string& splitter,
                                           const std::vector<Choice>& normalizers,
                                           const std::function<void(std::int64_t, std::int64_t)>& progress,
                                           const CancelToken& cancel);
// What stands between ASCII whitespace, each once with its count, in order of first appearance; what ends a line keeps a newline.
// `progress` gets bytes. count_stretches("a dog, a cat", {}, {}) gives a 2, "dog," 1 and "cat\n" 1.
Result<std::vector<WordCount>> count_stretches(std::string_view text,
                                               const std::function<void(std::int64_t, std::int64_t)>& progress,
                                               const CancelToken& cancel);
// Normalises the words of a corpus and adds up those that become equal. Errors: no words, a count below 1.
// checked_corpus({{"The", 2}, {"the", 3}}, {{"lowercase", {}}}) gives {"the", 5}.
Result<std::vector<WordCount>> checked_corpus(const std::vector<WordCount>& corpus, const std::vector<Choice>& normalizers);
// Errors (usage) unless alphabet + special tokens <= options.vocabulary_size <= kMostPieces; `what` names the alphabet's members.
// check_vocabulary_size({.vocabulary_size = 20}, 26, Message("characters of the corpus")) is an error: 30 pieces are needed.
Status check_vocabulary_size(const TrainingOptions& options, std::int64_t alphabet, const Message& what);

// For words and characters: adds the most frequent entries (ties: first in corpus order) until the vocabulary has
// options.vocabulary_size pieces. Each is one TrainingStep, whose candidates are the entries next in line. Names of special
// tokens and entries rarer than options.min_pair_count are left out.
// add_most_frequent({{"a", 1}, {"the", 3}}, {.vocabulary_size = 5}, vocabulary, training) adds "the" to four special tokens.
void add_most_frequent(std::vector<WordCount> entries, const TrainingOptions& options, Vocabulary& vocabulary,
                       Training& training);

}  // namespace headlight::tokenizers
