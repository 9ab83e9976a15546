// Training of tokenizers: the registry of the kinds that can be trained, one file a kind, and the record of a training.
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
  std::string token;        // the new piece of the vocabulary, into which the pair is joined
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
  std::string alphabet = {};            // BPE: "corpus" or "bytes"; "": corpus for word counts, bytes for a text
  bool word_counts = false;             // the corpus is a list of words, not a text: no spaces before its words
  std::int64_t min_pair_count = 1;      // BPE, WordPiece: rarer pairs are not merged; words, characters: rarer ones are not added
  std::int64_t keep_candidates = 32;
  bool record_steps = true;
  bool lowercase = false;  // words and WordPiece
  // BPE, WordPiece: as the library tokenizers trains, which takes the most frequent pair for both, and of equally frequent ones
  // that of the lower ids.
  bool as_library = false;
  // Called now and then from the training thread, with the bytes read while words are counted, then with the pieces added.
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

struct Training {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<std::string> alphabet;  // the vocabulary before the first step, without special tokens
  std::vector<TrainingStep> steps;
  // The corpus as counted, in corpus order, at most 1,000 words; written in the alphabet (byte-level BPE: "Ġthe"), so that every
  // code point of a word is a piece of it. Words that are no UTF-8 are left out.
  std::vector<WordCount> words;
  bool ran_out_of_pairs = false;  // the vocabulary stayed smaller than asked for; no error
};

// A kind of tokenizer that can be trained. Its id is the model's (model_registry) and the name of its bundled vocabulary.
struct Entry {
  std::string id, label, formula, source;
  // Trains on words in corpus order; ties go to the pair that comes first in the corpus.
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

// Reads "word<TAB>count" lines. Empty lines are skipped; a word given twice keeps its first place and the sum. Errors (invalid)
// name `where` and the line. parse_word_counts("hug\t10\npug\t5\n", "words.tsv") gives {"hug", 10} and {"pug", 5}.
Result<std::vector<WordCount>> parse_word_counts(std::string_view text, const std::string& where);

}  // namespace headlight::tokenizers
