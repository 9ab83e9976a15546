// Training of tokenizers: the registry of the kinds that can be trained, one file a kind, and the record of a training.
#pragma once

#include <array>
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

// One round of a unigram training: EM gives the pieces new probabilities, then those that are missed least are taken out.
struct PruningRound {
  // Why a piece was taken out.
  enum class Why : std::uint8_t {
    rare,     // expected less than half a time in the whole corpus
    unused,   // in no word's best cut
    cut,      // its own text is rather cut into other pieces
    missed,   // without it the corpus becomes less unlikely than without others: `loss`
    surplus,  // at the end, the least probable ones beyond the size asked for
  };
  struct Piece {
    std::string piece;
    double score = 0;                  // log p
    double count = 0;                  // rare: expected in the corpus; else in its best cuts
    double loss = 0;                   // by how much the log likelihood of the corpus falls without it; where it was asked for
    std::vector<std::string> instead;  // what its text is cut into without it
    Why why = Why::missed;
  };
  std::int64_t pieces_before = 0, pieces_after = 0;
  double log_likelihood = 0;   // of the corpus, before the round's first step of EM
  double tokens_per_word = 0;  // of the best cuts, a word counted as often as it occurs; 0: the last round, which cuts none
  std::array<std::int64_t, 5> taken_for{};  // how many pieces were taken out, by Why
  // At most TrainingOptions::keep_candidates each: of those taken out, the most frequent; of those that stay, the ones missed
  // least.
  std::vector<Piece> taken, spared;
  std::vector<std::vector<std::string>> cuts;  // the best cut of each of Training::words, before the round's pieces go
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
  bool lowercase = false;  // words, WordPiece and unigram
  // Unigram: the most frequent characters that make up this share of the corpus are pieces; rarer ones are unknown.
  double coverage = 0.9995;
  // BPE, WordPiece: as the library tokenizers trains, which takes the most frequent pair for both, and of equally frequent ones
  // that of the lower ids.
  bool as_library = false;
  // Called now and then from the training thread, with the bytes read while words are counted, then with the pieces added
  // (unigram: with the thousandths of the way from the first number of pieces to the last).
  std::function<void(std::int64_t done, std::int64_t total)> progress;
};

struct Training {
  std::shared_ptr<const Tokenizer> tokenizer;
  std::vector<std::string> alphabet;  // the vocabulary before the first step, without special tokens
  std::vector<TrainingStep> steps;
  std::vector<PruningRound> rounds;  // of a unigram training, which has no steps
  // The corpus as counted, in corpus order, at most 1,000 words; written in the alphabet (byte-level BPE: "Ġthe"), so that every
  // code point of a word is a piece of it. Words that are no UTF-8 are left out. A unigram's begin with "▁".
  std::vector<WordCount> words;
  bool ran_out_of_pairs = false;  // the vocabulary stayed smaller than asked for; no error
};

// A kind of tokenizer that can be trained. Its id is the model's (model_registry) and the name of its bundled vocabulary, if it
// has one.
struct Entry {
  std::string id, label, formula, source;
  // Trains on words in corpus order; ties go to the pair that comes first in the corpus.
  Result<Training> (*train)(const std::vector<WordCount>& corpus, const TrainingOptions&, const CancelToken&);
  // Splits a text as this kind splits it and counts, keeping the order of first appearance.
  Result<std::vector<WordCount>> (*count_words)(std::string_view text, const TrainingOptions&, const CancelToken&);
};

// The kinds that come with a bundled vocabulary.
const Registry<Entry>& registry();
// Every kind that can be trained: those of registry() and "unigram".
const Registry<Entry>& trainers();

// The entries, each in its own file.
Entry characters_entry();
Entry words_entry();
Entry bpe_entry();
Entry wordpiece_entry();
Entry unigram_entry();

// Reads "word<TAB>count" lines. Empty lines are skipped; a word given twice keeps its first place and the sum. Errors (invalid)
// name `where` and the line. parse_word_counts("hug\t10\npug\t5\n", "words.tsv") gives {"hug", 10} and {"pug", 5}.
Result<std::vector<WordCount>> parse_word_counts(std::string_view text, const std::string& where);

}  // namespace headlight::tokenizers
