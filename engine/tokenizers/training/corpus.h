// What the trainers share: the words of a corpus, and the checks of what is asked for.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/tokenizers/training/training.h"

namespace headlight::tokenizers {

inline constexpr std::int64_t kMostPieces = 1'000'000;
inline constexpr std::size_t kFilmWords = 1000;  // Training::words

// What "lowercase" does before words are counted or encoded: composed forms, small letters.
std::vector<Choice> normalizers_for(const TrainingOptions& options);

// The words of a text (normalised first), each once with its count, in order of first appearance; `progress` is told bytes.
Result<std::vector<WordCount>> count_spans(std::string_view text, const std::string& splitter,
                                           const std::vector<Choice>& normalizers,
                                           const std::function<void(std::int64_t, std::int64_t)>& progress,
                                           const CancelToken& cancel);
// Normalises given words and joins those that become equal. Errors: no words, a count below 1.
Result<std::vector<WordCount>> checked_corpus(const std::vector<WordCount>& corpus, const std::vector<Choice>& normalizers);
// Errors unless alphabet + special tokens <= options.vocabulary_size <= kMostPieces; `what` is "characters of the corpus".
Status check_vocabulary_size(const TrainingOptions& options, std::int64_t alphabet, const std::string& what);

// Words and characters: adds the most frequent entries (ties: first in corpus order) until the vocabulary has
// options.vocabulary_size pieces, one TrainingStep each, with the next in line as candidates. Names of special tokens are left
// out.
void add_most_frequent(std::vector<WordCount> entries, const TrainingOptions& options, Vocabulary& vocabulary,
                       Training& training);

}  // namespace headlight::tokenizers
