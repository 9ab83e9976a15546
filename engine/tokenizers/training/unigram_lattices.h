// The lattices of all words of a corpus for the training of a unigram model: at which places which pieces fit. They are made once
// from the seeds and lose pieces as training takes them out.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/tokenizers/training/training.h"

namespace headlight::tokenizers {

// A word, how often it occurs, and how often of these at the end of a line.
struct CorpusWord : WordCount {
  std::int64_t ends_line = 0;
};

// A piece of a unigram model in training.
struct UnigramPiece {
  std::int64_t place = 0;   // where it stands in the corpus
  std::int32_t length = 0;  // characters
  double score = 0;         // log p
  bool single = false;      // one character
};

class UnigramLattices {
 public:
  static constexpr int kLongest = 16;  // characters of a piece, as in SentencePiece

  // `alphabet`: characters that pieces are made of; others stand between stretches that are cut each by itself. The seeds are the
  // alphabet and the substrings of words that are followed by different characters, a space and the end of a line among them, at
  // most `most` of them; none joins two scripts, and "▁" only begins one. Error: cancelled.
  static Result<UnigramLattices> of(const std::vector<CorpusWord>& words,
                                    const std::vector<std::pair<char32_t, std::int64_t>>& alphabet, std::size_t most,
                                    const CancelToken& cancel);

  const std::vector<UnigramPiece>& pieces() const { return pieces_; }
  std::vector<UnigramPiece>& pieces() { return pieces_; }
  std::string text_of(const UnigramPiece& piece) const;
  // Takes out the pieces of which `keep` is false. Places where a single character is taken out are unknown there.
  void keep(const std::vector<bool>& keep);

  // The scores by piece + 1; the first is that of what is unknown. cuts_of() and best_cut() read them.
  std::vector<double> scores() const;

  // How often each piece is expected under the model, over all ways to cut all words; and the log likelihood of the corpus.
  struct Expected {
    std::vector<double> counts;
    double log_likelihood = 0;
  };
  Result<Expected> expected(const CancelToken& cancel) const;
  // How often each piece is in the best cuts of all words.
  Result<std::vector<double>> best_counts(const CancelToken& cancel) const;
  // The best cut of the stretch [begin, end) of the corpus as pieces (-1: unknown), and the second best one; empty: there is
  // none.
  struct Cuts {
    std::vector<std::int32_t> best, second;
  };
  Cuts cuts_of(std::int64_t begin, std::int64_t end, const std::vector<double>& scores) const;
  // The best cut of word `index` of `words` as texts; what is unknown is a text of its own.
  std::vector<std::string> best_cut(const std::vector<CorpusWord>& words, std::size_t index,
                                    const std::vector<double>& scores) const;

 private:
  // A stretch of characters of the alphabet, and how often it occurs.
  struct Stretch {
    std::int64_t begin = 0, end = 0;
    double weight = 0;
  };
  // An edge is a piece that begins at a place, and its length, as one number. The edges of a place are in the order of their
  // lengths; the first is the single character, whose piece may be missing.
  using Edge = std::uint32_t;
  std::span<const Edge> edges_at(std::int64_t place) const {
    const auto p = static_cast<std::size_t>(place);
    return {edges_.data() + first_[p], static_cast<std::size_t>(first_[p + 1] - first_[p])};
  }
  // A substring of words: its places are a range of an order of all places.
  struct Seed {
    std::size_t begin = 0, end = 0;
    std::int32_t length = 0;
    double score = 0;
  };
  std::vector<Seed> seeds(std::vector<std::uint32_t>& order, std::size_t most) const;
  void add_edges(const std::vector<Seed>& seeds, const std::vector<std::uint32_t>& order);
  // Adds the weighted expectations of one stretch to `counts`, by piece + 1, and returns the log of its probability.
  double add_short(const Stretch& stretch, const std::vector<double>& probabilities, std::vector<double>& counts) const;
  double add_long(const Stretch& stretch, const std::vector<double>& scores, std::vector<double>& counts) const;
  // Calls visit(piece + 1) for the pieces of the best cut of [begin, end), the last first.
  template <class Visit>
  void each_of_best(std::int64_t begin, std::int64_t end, const std::vector<double>& scores, Visit&& visit) const;

  std::vector<char32_t> alphabet_;   // by character number - 2
  std::vector<std::uint32_t> text_;  // character numbers; 0 ends a word, 1 a line, 2 is none of the alphabet
  std::vector<float> weights_;       // of each place: how often its word occurs
  std::vector<std::int64_t> words_;  // where each word begins
  std::vector<Stretch> stretches_;
  std::vector<Edge> edges_;
  std::vector<std::int64_t> first_;  // by place
  std::vector<UnigramPiece> pieces_;
};

}  // namespace headlight::tokenizers
