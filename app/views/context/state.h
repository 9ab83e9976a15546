// The comparison of the Context view.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/fields/fields.h"

namespace headlight::views::contexts {

struct State {
  std::string word;                    // empty: a word that the model knows
  std::vector<std::string> sentences;  // two to six; empty: some sentences with that word
  std::string probes;                  // separated by commas; empty: words that show the word's senses
  std::int64_t layer = -1;             // the number of layers passed; -1: all
  std::int64_t sentence = 0;           // the selected sentence
  std::string measure = "distance";    // between two vectors: distance, cosine
  std::string plane = "paths";         // the plane's contents: paths, queries (and keys of one head)
  std::int64_t head = 0;               // the head of these queries and keys
  std::int64_t query = -1;             // the token whose strongest keys are shown; -1: the word
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::contexts
