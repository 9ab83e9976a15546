// Explanation: how a model came to the pieces of one word, as a person can follow it. Places are bytes of the word.
// The examples are of small models in which "h", "u", "g", "s", "ug" and "hug" are pieces.
#pragma once

#include <cstdint>
#include <variant>
#include <vector>

namespace headlight::tokenizers {

// BPE: the merges of the word as trees. Of "hugs" the leaves are h, u, g and s; the joins are ug (of u and g) and hug (of h and
// ug); the roots are hug and s.
struct MergeTrees {
  struct Node {
    std::int32_t id = -1;  // its piece; -1: it is none (an unknown character)
    std::int64_t start = 0, end = 0;
    std::int32_t left = -1, right = -1;  // of nodes; -1: a leaf
    std::int64_t rank = -1;              // of the merge that made it, 0 the first one learned; -1: a leaf
  };
  std::vector<Node> nodes;          // the leaves in the order of the text, then the joins in the order in which they happened
  std::size_t leaves = 0;           // how many of the nodes are leaves
  std::vector<std::int32_t> roots;  // the nodes that nothing joins any more, in the order of the text
  bool whole = false;               // the word is a piece and was taken whole, whatever the merges make of it; there are no nodes
};

// WordPiece: from each place the longest piece that fits. Of "hugs" the first step begins at 0, has the fits h and hug, and takes
// the last of these.
struct LongestMatches {
  struct Fit {
    std::int32_t id = -1;
    std::int64_t end = 0;
  };
  struct Step {
    std::int64_t start = 0;
    std::int64_t reach = 0;  // up to here some piece begins as the word goes on; no longer one has to be tried
    std::vector<Fit> fits;   // the shortest first, the last is taken; none: the word cannot be covered
  };
  std::vector<Step> steps;
  bool covered = true;    // false: the whole word is the unknown token
  bool too_long = false;  // the word has more characters than the model reads; it is unknown, and there are no steps
};

// Unigram: every piece that fits anywhere, and the ways through them. A way's score is the sum of its edges' scores.
struct Lattice {
  struct Edge {
    std::int64_t start = 0, end = 0;
    std::int32_t id = -1;
    double score = 0;  // log p(piece); for an unknown character the least score of all pieces less a penalty
    double share = 0;  // of all ways through the word, weighted by their probabilities, those that take this edge: 0 to 1
    bool unknown = false;
  };
  std::vector<Edge> edges;         // by start, then by end
  std::vector<double> best_to;     // the score of the best way to each place; -infinity: no way leads there
  std::vector<std::int32_t> best;  // the edges of the best way, in the order of the text
  double best_score = 0;
  std::vector<std::int32_t> runner_up;  // the edges of the second best way; empty: there is no other
  double runner_up_score = 0;
};

// Nothing: the word is looked up whole, or character by character.
using Explanation = std::variant<std::monostate, MergeTrees, LongestMatches, Lattice>;

}  // namespace headlight::tokenizers
