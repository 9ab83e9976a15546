// One word under three algorithms: the lattice of a unigram model, the tries of WordPiece, the joins of BPE. Each picture has a
// column for each letter (or byte) of the word; the letters that the mouse points at light up in all three.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/views/tokens/rows_picture.h"

namespace headlight::figures {

struct Letter {
  std::string text;
  std::int64_t start = 0, end = 0;  // bytes of the sentence
};

// Pieces, letters and boundaries are counted; a piece covers the letters [from, to).
struct LatticeInput {
  struct Piece {
    std::size_t from = 0, to = 0;
    std::string text;
    double score = 0;
    bool unknown = false, forbidden = false;
  };
  struct Path {
    std::vector<std::size_t> pieces;
    double sum = 0, share = 0;
  };
  std::vector<Letter> letters;
  std::vector<Piece> pieces;
  std::vector<double> best;  // the best sum that reaches each boundary: letters + 1
  std::vector<Path> paths;   // the best ones first
  std::size_t chosen = 0;    // the path in amber; the best of the others is blue
  TokenLight light;
};
// The pieces as bars over the letters, and the sums below. Tags: bar, a = piece; column, a = letter.
// lattice_picture(input, 480, theme, measure) is 480 points wide.
Figure lattice_picture(const LatticeInput& input, float width, const Theme& theme, const TextMeasure& measure);
// The paths as a list. Tags: row, a = path. lattice_paths(input, 480, theme, measure) has a line for each.
Figure lattice_paths(const LatticeInput& input, float width, const Theme& theme, const TextMeasure& measure);

struct TriesInput {
  struct Try {
    std::size_t from = 0, to = 0;
    bool found = false;
  };
  std::vector<Letter> letters;
  std::vector<Try> tries;
  std::string prefix = "##";
  bool covered = true;
  bool folded = false;  // only the pieces that were found, each with how many tries it took
  TokenLight light;
};
// A line a try: a cross where the vocabulary lacks the piece, a box around the one that was found. Tags: column, a = letter.
// tries_picture(input, 300, theme, measure) is 300 points wide.
Figure tries_picture(const TriesInput& input, float width, const Theme& theme, const TextMeasure& measure);

struct JoinsInput {
  struct Part {
    std::size_t from = 0, to = 0;
    std::string text;
  };
  struct State {
    std::vector<Part> parts;
    std::vector<std::int64_t> ranks;  // of two neighbours; -1: not in the table
    std::int64_t chosen = -1;         // the left one of those that are joined next
  };
  std::vector<Letter> letters;
  std::vector<State> states;
  TokenLight light;
};
// A line a join: the parts, and below them each neighbouring pair's rank, the lowest in blue. Tags: column, a = letter.
// joins_picture(input, 400, theme, measure) is 400 points wide.
Figure joins_picture(const JoinsInput& input, float width, const Theme& theme, const TextMeasure& measure);
// The same as a tree, to be read upward: letters below, a line a join, its rank on the right.
// merge_tree(input, 300, theme, measure) is 300 points wide.
Figure merge_tree(const JoinsInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
