// Film plays back a recorded training one merge at a time: how the symbols of the words are joined, and why each pair was chosen.
// The examples are of the BPE over characters of hug 10, pug 5, pun 12, bun 4, hugs 5, which joins u g, u n and h ug.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::tokenizers {

class Film {
 public:
  // Plays the whole training once, over the words that it kept (Training::words). `kind` is the registry id of the tokenizer;
  // `byte_level` says whether its alphabet was the bytes. Error: cancelled. of(training, "bpe", false) gives the film.
  static Result<std::shared_ptr<const Film>> of(std::shared_ptr<const Training> training, const std::string& kind,
                                                bool byte_level, const CancelToken& cancel = {});

  const Training& training() const { return *training_; }
  std::int64_t steps() const { return static_cast<std::int64_t>(training_->steps.size()); }
  // True for BPE and WordPiece, whose steps join two symbols; words and characters add one entry a step.
  bool merges() const { return merges_; }

  // The symbols of word `index` after `step` steps (0: before the first). symbols(0, 1) gives h and ug.
  std::vector<std::string> symbols(std::int64_t index, std::int64_t step) const;
  // The indices of at most `most` words: all in corpus order if they fit, else first those that step `step` (1..) changes, then
  // the others, the most frequent first in both. words_to_show(3, 2) gives 0 and 4: hug and hugs.
  std::vector<std::int64_t> words_to_show(std::int64_t step, std::size_t most) const;
  // The mean number of tokens per word after each step, 0..steps(). A kept word counts as often as it occurs in the corpus. Empty
  // unless merges().
  const std::vector<double>& tokens_per_word() const { return tokens_per_word_; }
  // A symbol as it is shown to a person: a space as "·", a part of a character's bytes as hexadecimal.
  std::string display(const std::string& symbol) const;
  // How often `symbol` occurs in the kept words after `step` steps. frequency("u", 0) is 36, frequency("u", 1) is 16.
  std::int64_t frequency(const std::string& symbol, std::int64_t step) const;
  // Why step `step` (1..steps()) chose its pair or entry, as numbers for a sentence: the pair's score if the training merges,
  // else the entry's count. `chosen` is empty if there is no such step. reason(3) has "h + ug", count 15.
  struct Reason {
    std::string chosen;      // "h + ug", or the entry
    std::int64_t count = 0;  // how often it occurs
    // The words in which it occurs and how often each does; empty unless they are few and short enough to be named.
    std::vector<std::pair<std::string, std::int64_t>> where;
    bool tie = false;  // another candidate has the same score: the first in corpus order was taken
    // WordPiece: score = count / product, and product = left * right, the counts of the two parts. `left` and `right` are counted
    // in the kept words. They are 0 if their product is not `product`, because not all words of the corpus were kept.
    double score = 0, product = 0;
    std::int64_t left = 0, right = 0;
  };
  Reason reason(std::int64_t step) const;

 private:
  std::vector<std::int32_t> symbols_of(std::size_t word, std::int64_t step) const;

  std::shared_ptr<const Training> training_;
  std::string kind_;
  bool merges_ = false, byte_level_ = false;
  std::vector<std::string> names_;
  struct Merge {
    std::int32_t left = 0, right = 0, token = 0;
  };
  std::vector<Merge> merge_list_;                   // of step i + 1
  std::vector<std::vector<std::int32_t>> start_;    // symbols of each word before the first step
  std::vector<std::vector<std::int64_t>> changes_;  // the steps that change each word, ascending
  std::vector<double> tokens_per_word_;
};

}  // namespace headlight::tokenizers
