// The tokenizer interface, its registry and the trainer's record. A tokenizer is
// normaliser -> pre-tokenizer -> model; each token keeps the byte range of the *input* it stands for.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/parameter.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"

namespace headlight::tokenizers {

// The first ids of every vocabulary we train.
enum Special : std::int32_t { kPad = 0, kUnknown = 1, kBegin = 2, kEnd = 3 };
inline constexpr const char* kSpecialNames[] = {"[PAD]", "[UNK]", "[BOS]", "[EOS]"};

struct Token {
  std::int32_t id = 0;
  std::string piece;       // as in the vocabulary, e.g. "Ġfluffy", "##ffy", "<0xE2>"; display_text() is for people
  std::int64_t start = 0;  // byte range [start, end) of the input; a special token added by us has start == end
  std::int64_t end = 0;
  bool operator==(const Token&) const = default;
};

class Tokenizer {
 public:
  virtual ~Tokenizer() = default;

  virtual std::string kind() const = 0;   // registry id: "characters", "words", "bpe", "wordpiece"
  virtual std::string label() const = 0;  // "BPE 4,096"
  virtual std::int32_t vocabulary_size() const = 0;
  virtual std::string piece(std::int32_t id) const = 0;  // "" if out of range
  // What a person should see for a piece: whitespace as "·", "↵", "⇥"; half a character as hex ("0xE2"), never "?".
  virtual std::string display_text(std::int32_t id) const = 0;
  virtual std::int32_t unknown_id() const = 0;  // -1 if this tokenizer never needs one
  virtual std::int32_t pad_id() const = 0;      // -1 if it has none

  // Any bytes are accepted. Special tokens are not added and not recognised inside text.
  virtual Result<std::vector<Token>> encode(std::string_view text, const CancelToken& cancel = {}) const = 0;
  // The inverse of encode as far as the kind allows: exact for characters and byte-level BPE on every input.
  virtual std::string decode(const std::vector<std::int32_t>& ids) const = 0;
  // Writes a folder that load() reads: tokenizer.json of our own format, described in assets/vocabularies/README.md.
  virtual Status save(const std::filesystem::path& folder) const = 0;
};

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
  std::int64_t vocabulary_size = 4096;  // special tokens and alphabet included
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

struct Entry {
  std::string id, label, formula, source;
  // Trains on words in corpus order (ties go to the pair first in corpus order).
  Result<Training> (*train)(const std::vector<WordCount>& corpus, const TrainingOptions&, const CancelToken&);
  // Splits a text as this kind pre-tokenizes it and counts, keeping the order of first appearance.
  Result<std::vector<WordCount>> (*count_words)(std::string_view text, const TrainingOptions&, const CancelToken&);
  Result<std::shared_ptr<const Tokenizer>> (*load)(const std::filesystem::path& folder);
  std::string bundled;  // folder under assets/vocabularies that "tokenizer: <id>" means
};

const Registry<Entry>& registry();

// What a Document's tokenizer field means: a registry id (its bundled vocabulary), a bundled vocabulary's folder name, or a
// folder on disk. Loaded once a process and shared.
Result<std::shared_ptr<const Tokenizer>> open(const std::string& name);
std::vector<std::string> bundled_names();
// Makes `tokenizer` known under "trained:NAME" for this process (a training made in the window).
void publish(const std::string& name, std::shared_ptr<const Tokenizer> tokenizer);

// What the four kinds are compared by, measured on one text (S14). The caller times encode() itself.
struct Measured {
  std::int64_t tokens = 0;
  std::int64_t bytes = 0;                  // of the text
  double bytes_per_token = 0;              // 0 without tokens
  std::int64_t unknown = 0;                // tokens that are the unknown one
  std::vector<std::string> unknown_words;  // what they stand for, each once, in order of appearance
  std::int64_t partial = 0;                // tokens that begin or end inside a character (UTF-8 sequence)
};
Measured measure(const Tokenizer& tokenizer, std::string_view text, const std::vector<Token>& tokens);

// "word<TAB>count" lines; empty lines are skipped, a word given twice keeps its first place and the sum. Errors name `where`
// and the line.
Result<std::vector<WordCount>> parse_word_counts(std::string_view text, const std::string& where);

}  // namespace headlight::tokenizers
