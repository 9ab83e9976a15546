// Training: the registry of the kinds of tokenizer that can be trained, one file a kind, and the record of a training.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// One merge (BPE, WordPiece) or one added entry (words, characters) of a training.
struct TrainingStep {
  struct Candidate {
    std::string left, right;
    std::int64_t count = 0;
    double score = 0;  // BPE: the count; WordPiece: count / (count(left) * count(right))
  };
  std::int64_t step = 0;    // 1, 2, ...
  std::string left, right;  // the pair chosen
  std::string token;        // what it becomes; the vocabulary after this step is the one before plus this
  std::int64_t count = 0;
  double score = 0;
  std::vector<Candidate> candidates;  // best first, the chosen one among them; at most TrainingOptions::keep_candidates
};

struct WordCount {
  std::string word;
  std::int64_t count = 0;
};

struct TrainingOptions {
  std::int64_t vocabulary_size = 4096;  // including special tokens and alphabet
  std::string alphabet = {};            // BPE: "corpus" or "bytes"; "" = corpus for word counts, bytes for text
  bool word_counts = false;             // the corpus is a list of words, not a text: no spaces before its words
  std::int64_t min_pair_count = 1;      // BPE, WordPiece: rarer pairs are not merged; words, characters: rarer ones are left out
  std::int64_t keep_candidates = 32;
  bool record_steps = true;
  bool lowercase = false;  // words and WordPiece
  // Called now and then from the training thread: bytes read while counting words, then pieces added.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

struct Training {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<std::string> alphabet;  // the vocabulary before the first step, without special tokens
  std::vector<TrainingStep> steps;
  // The corpus as counted, in corpus order, at most 1,000 words; written in the alphabet (byte-level BPE: "Ġthe"), so that every
  // code point of a word is a piece of it. Words that are no UTF-8 are left out.
  std::vector<WordCount> words;
  bool ran_out_of_pairs = false;  // a normal end
};

// A kind of tokenizer that can be trained: its id is the model's (model_registry), and names its bundled vocabulary.
struct Entry {
  std::string id, label, formula, source;
  // Trains on words in corpus order (ties go to the pair first in corpus order).
  Result<Training> (*train)(const std::vector<WordCount>& corpus, const TrainingOptions&, const CancelToken&);
  // Splits a text as this kind splits it and counts, keeping the order of first appearance.
  Result<std::vector<WordCount>> (*count_words)(std::string_view text, const TrainingOptions&, const CancelToken&);
};

const Registry<Entry>& registry();

// The entries, each in its own file.
Entry characters_entry();
Entry words_entry();
Entry bpe_entry();
Entry wordpiece_entry();

// "word<TAB>count" lines; empty lines are skipped, a word given twice keeps its first place and the sum. Errors name `where`
// and the line.
Result<std::vector<WordCount>> parse_word_counts(std::string_view text, const std::string& where);

}  // namespace headlight::tokenizers
