// The pictures of the Context view: one word in several sentences, its vector's way through the layers, how far the vectors are
// apart, what they come near to, and what attention added. Functions from data to a Figure; screen and files use the same ones.
// A sentence has one hue in all of them.
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
Color sentence_color(std::size_t sentence, const Theme& theme);  // from 0

// Two sentences; a < b. -1: none.
struct SentencePair {
  std::int64_t a = -1, b = -1;
  bool operator==(const SentencePair&) const = default;
};
// (0, 1), (0, 2), (1, 2), ... of `count` sentences.
std::vector<SentencePair> sentence_pairs(std::size_t count);

// One sentence as chips in its hue; the word is amber, and what it cannot see is hatched.
struct SentenceChipsInput {
  std::vector<std::string> tokens;
  std::vector<bool> hidden;
  std::int64_t first = -1, row = -1;  // the word's tokens, both included
  std::size_t sentence = 0;           // its hue
  std::int64_t hot = -1;
  bool numbered = false;  // a mark in its hue and its number stand before it
};
// At most `width` points wide; of a long sentence the part around the word. Tags {Tag::token, position}.
Figure sentence_chips(const SentenceChipsInput& input, float width, const Theme& theme, const TextMeasure& measure);

// The plane in which the vectors are spread the most, and each sentence's way through it.
struct PathsInput {
  std::vector<std::string> names;                         // of the sentences
  std::vector<std::vector<std::array<double, 2>>> paths;  // [sentence][stage]
  bool from_before_positions = false;                     // the first stage is the embedding before positions
  std::array<double, 2> share{0, 0};                      // of the variance, along both axes
  std::int64_t layer = 0;                                 // layers passed: the current stage
  std::int64_t sentence = -1;                             // the selected one
  SentencePair lit;
  std::string title;
};
// Tags: dots {Tag::bar, sentence, layers passed}; sides between the current ones {Tag::cell, a, b}. data: "paths" [sentence,
// stage, component].
Figure context_paths(const PathsInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// Queries and keys of one head as points of one plane: rings and discs, and arrows from one query to the keys with the largest
// weights.
struct QueryKeyInput {
  std::vector<std::string> names;  // of the tokens
  std::vector<std::array<double, 2>> queries, keys;
  std::array<double, 2> share{0, 0};  // of the variance, along both axes
  std::int64_t query = 0;             // the selected one
  std::vector<double> weights;        // of its row, by key
  std::vector<bool> hidden;           // keys that it may not attend to
  std::size_t sentence = 0;           // its hue
  std::int64_t hot = -1;              // a token
  std::string title;
};
// Tags: {Tag::row, query}, {Tag::column, key}. data: "queries" and "keys" [token, component], "weights" [key].
Figure query_key_plane(const QueryKeyInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// A number of every pair of sentences, by layer.
struct PairCurvesInput {
  std::size_t sentences = 0;
  std::vector<std::vector<double>> values;  // [pair as sentence_pairs() counts][layers passed]
  bool cosine = true;                       // else a distance, from 0
  std::int64_t layer = 0;
  std::int64_t sentence = -1;  // the selected one: where not all pairs can be named, its are
  SentencePair lit;
  std::string title;
};
// Tags: curves {Tag::cell, a, b}; columns {Tag::column, layers passed}. data: "cosine" or "distance" [pair, layer].
Figure pair_curves(const PairCurvesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// The same number of every pair after one layer.
struct PairMatrixInput {
  std::vector<std::vector<double>> values;  // [sentence][sentence]
  double most = 1;                          // the end of the colour scale: the largest of all layers
  bool cosine = false;
  std::int64_t layer = 0;
  SentencePair lit;
  std::string colormap = "viridis";
  std::string title;
};
// As wide and high as fits into the room. Tags {Tag::cell_area}. data: "cosine" or "distance" [sentence, sentence].
Figure pair_matrix(const PairMatrixInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// Cosines of every sentence's vector with probe words, by layer: a small chart a probe.
struct ProbesInput {
  struct Probe {
    std::string word;
    bool unknown = false;
    std::vector<std::vector<double>> cosine;  // [layers passed][sentence]
  };
  std::vector<Probe> probes;
  std::int64_t layer = 0;
  std::int64_t sentence = -1;
  std::string title;
};
// Tags {Tag::column, layers passed}. data: "probes" [probe, layer, sentence].
Figure probe_bars(const ProbesInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

// What attention added to the word in one layer, by source and head, as parts of the length of the sum.
struct AddedInput {
  struct Source {
    std::string name;
    std::int64_t token = -1;  // in the sentence; -1: several together, or no token
    bool word = false;        // the word itself
    bool quiet = false;       // no token: the bias, or what is left
    double all = 0;           // of all heads
  };
  std::vector<Source> sources;
  struct Head {
    std::int64_t head = 0;
    std::vector<double> parts;  // [source]
    double along = 0;
  };
  std::vector<Head> heads;  // those that are listed
  double length = 0;        // of the sum
  std::size_t sentence = 0;
  struct Probe {
    std::string word;
    double before = 0, after = 0;  // cosines
  };
  std::vector<Probe> probes;
  std::string summary;  // "62 % came from shrew, 43 % of that through head 2"
  std::string note;
  std::int64_t hot_source = -1, hot_head = -1;  // a token; a head
  std::string title, quiet_title;
};
// Tags: segments {Tag::token, token, head (-1: all)}; a head's row {Tag::row, head}. data: "added" [head, source], "all"
// [source].
Figure attention_added_bars(const AddedInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
