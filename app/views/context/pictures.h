// The pictures of the Context view: one word in several sentences, the way of its vector through the layers, the distances
// between the vectors, the probe words near them, and the parts that attention added. Functions from data to a Figure; screen and
// files use the same functions. A sentence has the same hue in all pictures.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

inline constexpr std::size_t kMostSentences = 6;
// The hue of a sentence; sentence_color(0, theme) is the hue of the first.
Color sentence_color(std::size_t sentence, const Theme& theme);

// The place of a compared sentence among the typed ones, of which some may lack the word: its number, from 0, and its hue.
// typed_number({0, 2}, 1) is 2; typed_number({}, 1) is 1.
inline std::size_t typed_number(const std::vector<std::size_t>& numbers, std::size_t sentence) {
  return sentence < numbers.size() ? numbers[sentence] : sentence;
}

// The indices of two sentences, a < b; -1: none.
struct SentencePair {
  std::int64_t a = -1, b = -1;
  bool operator==(const SentencePair&) const = default;
};
// All pairs of `count` sentences; sentence_pairs(3) gives (0, 1), (0, 2), (1, 2).
std::vector<SentencePair> sentence_pairs(std::size_t count);

// One sentence as chips in its hue; the word is amber, and tokens that the word cannot see are hatched.
struct SentenceChipsInput {
  std::vector<std::string> tokens;
  std::vector<bool> hidden;
  std::int64_t first = -1, row = -1;  // the word's first and last token
  std::size_t sentence = 0;           // index of the sentence, for its hue
  std::int64_t hot = -1;
  bool numbered = false;  // a mark in the sentence's hue and the sentence's number stand before the chips
};
// `width` points wide; a long sentence is cut to the part around the word. Tags {Tag::token, position}.
// sentence_chips(input, 640, theme, measure) shows one line of chips.
Figure sentence_chips(const SentenceChipsInput& input, float width, const Theme& theme, const TextMeasure& measure);

// The plane in which the vectors are spread the most, and each sentence's way through the plane.
struct PathsInput {
  std::vector<std::string> names;                         // the sentences' names
  std::vector<std::vector<std::array<double, 2>>> paths;  // [sentence][stage]
  bool from_before_positions = false;                     // the first stage is the embedding before positions
  std::array<double, 2> share{0, 0};                      // share of the variance along each axis, 0..1
  std::int64_t layer = 0;                                 // layers passed: the current stage
  std::int64_t sentence = -1;                             // index of the selected sentence; -1: none
  // Between the vectors at the current stage, in all dimensions: [sentence][sentence]; empty: unknown. The picture writes them
  // beside its lines, and says where the plane has them in another order.
  std::vector<std::vector<double>> distances;
  std::vector<std::size_t> numbers;  // as in typed_number()
  SentencePair lit;
  std::string title;
};
// Exactly `width` x `height` points. Tags: dots {Tag::bar, sentence, layers passed}; lines between the current dots {Tag::cell,
// a, b}. data: "paths" [sentence, stage, component]. context_paths(input, 640, 320, theme, measure) draws one path for each
// sentence.
Figure context_paths(const PathsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// Queries and keys of one head as points of one plane: rings and discs, and arrows from one query to the keys with the largest
// weights.
struct QueryKeyInput {
  std::vector<std::string> names;  // the tokens' names
  std::vector<std::array<double, 2>> queries, keys;
  std::array<double, 2> share{0, 0};  // share of the variance along each axis, 0..1
  std::int64_t query = 0;             // index of the selected query
  std::vector<double> weights;        // the selected query's weights, by key
  std::vector<bool> hidden;           // by key: the selected query may not attend to the key
  std::size_t sentence = 0;           // index of the sentence, for its hue
  std::int64_t hot = -1;              // index of the highlighted token; -1: none
  std::string title;
};
// Exactly `width` x `height` points. Tags: {Tag::row, query}, {Tag::column, key}. data: "queries" and "keys" [token, component],
// "weights" [key]. query_key_plane(input, 640, 320, theme, measure) draws the plane.
Figure query_key_plane(const QueryKeyInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// A number of every pair of sentences, by layer.
struct PairCurvesInput {
  std::size_t sentences = 0;
  std::vector<std::vector<double>> values;  // [pair, in the order of sentence_pairs()][layers passed]
  bool cosine = true;                       // values are cosines; false: distances, from 0
  std::int64_t layer = 0;
  std::int64_t sentence = -1;        // the selected sentence; if not all pairs can be named, the pairs of this sentence are
  std::vector<std::size_t> numbers;  // as in typed_number()
  SentencePair lit;
  std::string title;
};
// Exactly `width` x `height` points. Tags: curves {Tag::cell, a, b}; columns {Tag::column, layers passed}. data: "cosine" or
// "distance" [pair, layer]. pair_curves(input, 480, 240, theme, measure) draws one curve for each pair.
Figure pair_curves(const PairCurvesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The cosine or distance of every pair after one layer.
struct PairMatrixInput {
  std::vector<std::vector<double>> values;  // [sentence][sentence]
  double most = 1;                          // the end of the colour scale: the largest value of all layers
  bool cosine = false;
  std::int64_t layer = 0;
  std::vector<std::size_t> numbers;  // as in typed_number()
  SentencePair lit;
  std::string colormap = "viridis";
  std::string title;
};
// `width` points wide; the cells are as large as `width` and `height` allow, from 12 to 72 points. Tags {Tag::cell_area}. data:
// "cosine" or "distance" [sentence, sentence]. pair_matrix(input, 240, 260, theme, measure) draws a square of cells.
Figure pair_matrix(const PairMatrixInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// Cosines of every sentence's vector with probe words, by layer: a small chart for each probe word.
struct ProbesInput {
  struct Probe {
    std::string word;
    bool unknown = false;
    std::vector<std::vector<double>> cosine;  // [layers passed][sentence]
  };
  std::vector<Probe> probes;
  std::int64_t layer = 0;
  std::int64_t sentence = -1;
  std::vector<std::size_t> numbers;  // as in typed_number()
  std::string title;
};
// Exactly `width` x `height` points. Tags {Tag::column, layers passed}. data: "probes" [probe, layer, sentence].
// probe_bars(input, 640, 150, theme, measure) draws one chart for each of input.probes.
Figure probe_bars(const ProbesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The vectors that attention added to the word in one layer, by source and head, as parts of the length of the sum.
struct AddedInput {
  struct Source {
    std::string name;
    std::int64_t token = -1;  // index in the sentence; -1: several tokens together, or no token
    bool word = false;        // the source is the word itself
    bool quiet = false;       // the source is no token: the bias, or the rest
    double all = 0;           // the part of all heads together
  };
  std::vector<Source> sources;
  struct Head {
    std::int64_t head = 0;
    std::vector<double> parts;  // [source]
    double along = 0;
  };
  std::vector<Head> heads;  // the listed heads
  double length = 0;        // length of the sum
  std::size_t sentence = 0;
  struct Probe {
    std::string word;
    double before = 0, after = 0;  // cosines
  };
  std::vector<Probe> probes;
  std::string summary;  // "62 % came from shrew, 43 % of that through head 2"
  std::string note;
  std::int64_t hot_source = -1, hot_head = -1;  // indices of the highlighted token and head; -1: none
  std::string title, quiet_title;
};
// `width` points wide. Tags: segments {Tag::token, token, head (-1: all)}; a head's row {Tag::row, head}. data: "added" [head,
// source], "all" [source]. attention_added_bars(input, 640, theme, measure) draws one bar for all heads and one for each of
// input.heads.
Figure attention_added_bars(const AddedInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
