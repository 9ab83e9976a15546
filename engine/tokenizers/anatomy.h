// Anatomy: Tokenizer::explain() and explain_word() as pictures show them. The stages become characters with their places in the
// input, a BPE's trees become a line a join with the ranks of all neighbours, WordPiece's matches become single tries, and a
// unigram's lattice gets its best paths, also without pieces that a person forbids.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/core/status.h"
#include "engine/text/normalized.h"
#include "engine/text/span.h"
#include "engine/tokenizers/explained.h"

namespace headlight::tokenizers {

// The text after one stage before the model.
struct StageText {
  struct Cell {
    std::string text;        // a character of the stage's text
    text::Span source;       // the bytes of the input that it stands for; empty for a character that was added
    std::int64_t word = -1;  // -1: the stage has thrown it away
    bool changed = false;    // it is written otherwise than in the input
    bool added = false;      // a whole added token, which no stage sees
  };
  bool splits = false;   // a splitter, whose words count; else a normaliser
  std::string id;        // of the stage's registry
  bool changes = false;  // whether it changed the text, or the words, of the stage before it
  std::vector<Cell> cells;
  std::vector<text::Span> lost;  // bytes of the input of which nothing is left, or only what is in no word
  std::int64_t words = 0;
};

// A word as the model reads it.
struct ModelWord {
  text::Normalized text;
  std::int64_t offset = 0;                                        // where its stretch of the input begins
  text::Span source(std::int64_t start, std::int64_t end) const;  // bytes of the input
  text::Span source() const { return source(0, static_cast<std::int64_t>(text.text().size())); }
};

// BPE: the word as its letters, then after each join. Bytes count in the word.
struct MergeStory {
  struct Part {
    std::int64_t start = 0, end = 0;
    std::int32_t id = -1;  // -1: it is in no vocabulary
    bool operator==(const Part&) const = default;
  };
  struct State {
    std::vector<Part> parts;
    std::vector<std::int64_t> ranks;  // of each two neighbours; -1: the pair is not in the table
    std::int64_t chosen = -1;         // the left one of the pair that is joined next; -1: it stops
  };
  std::vector<State> states;
  bool whole = false;  // the word is a piece of the vocabulary and was taken whole
};

// WordPiece: every piece that was looked for, in order. Bytes count in the word.
struct TryStory {
  struct Try {
    std::int64_t start = 0, end = 0;
    std::int32_t id = -1;  // -1: the vocabulary lacks it
  };
  std::vector<Try> tries;
  bool covered = true;    // false: the word is unknown
  bool too_long = false;  // it has more characters than the tokenizer tries
};

// Unigram: every known piece of the word, and the best ways through it. Bytes count in the word.
struct LatticeStory {
  struct Piece {
    std::int64_t start = 0, end = 0;
    std::int32_t id = -1;
    double score = 0;
    bool unknown = false;  // a character without a piece
  };
  struct Path {
    std::vector<std::size_t> pieces;  // of `pieces`
    double sum = 0, share = 0;        // share: of the probability of all paths
  };
  std::vector<Piece> pieces;
  std::vector<std::int64_t> boundaries;  // between characters: 0, ..., the word's size
  std::vector<double> best;              // the best sum that reaches each boundary
  std::vector<Path> paths;               // the best ones first
  double all_paths = 0;                  // how many there are
};

class Anatomy {
 public:
  // The longest word in bytes that is explained; a longer one is cut off there.
  static constexpr std::int64_t kLongest = 160;

  static Result<std::shared_ptr<const Anatomy>> of(std::shared_ptr<const Tokenizer> tokenizer);

  const Tokenizer& tokenizer() const { return *tokenizer_; }
  // The stages in order, normalisers first. Of BERT's, the stage "lowercase" of "A b" has the cells a, space and b.
  std::vector<StageText> stages(std::string_view input) const;
  // The words that reach the model, in order. Added tokens are none.
  std::vector<ModelWord> words(std::string_view input) const;
  // Whether the model begins with the single bytes of a word, so that a character may be several pieces.
  bool over_bytes() const { return over_bytes_; }

  // Of a BPE, a WordPiece, a unigram model. merges("hugs") ends with the parts hug and s.
  MergeStory merges(std::string_view word) const;
  TryStory tries(std::string_view word) const;
  // The `most` best paths without the pieces `forbidden`.
  LatticeStory lattice(std::string_view word, std::size_t most, const std::vector<std::int64_t>& forbidden = {}) const;
  // The place of a BPE's piece among the merges, counted from 0; -1: no merge makes it.
  std::int64_t rank_of(std::int32_t id) const;
  std::int64_t merge_count() const { return static_cast<std::int64_t>(joins_.size()); }
  double score_of(std::int32_t id) const;  // of a unigram model's piece

 private:
  Anatomy() = default;
  std::int64_t rank_between(std::int32_t left, std::int32_t right) const;  // -1: the pair is not in the table

  std::shared_ptr<const Tokenizer> tokenizer_;
  std::vector<Choice> normalizers_, splitters_;
  bool over_bytes_ = false;
  std::unordered_map<std::uint64_t, std::int64_t> joins_;  // the rank of two pieces
  std::unordered_map<std::int32_t, std::int64_t> ranks_;   // of the first merge that makes a piece
  std::vector<double> scores_;                             // a unigram's, by id
  double unknown_score_ = 0;
};

}  // namespace headlight::tokenizers
