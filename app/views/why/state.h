// What the view Why this word asks of a model.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::why {

struct State {
  std::string page = "routes";    // or "difference", "patching", "composition"
  std::int64_t position = -1;     // the token whose last vector is asked about; -1: the last one, or the first [MASK]
  double threshold = 0.04;        // the least share of an edge that is followed
  bool without_first = false;     // what the first token hands on is left out
  bool verticals = true;          // the lines from layer to layer of one token are drawn
  std::string composes = "keys";  // what of the later head is fed: "queries", "keys", "values"
  std::string word, over;         // pieces of the vocabulary; empty: the best candidate, and the next best one
  std::string changed;            // the sentence of the patching; empty: what is suggested
  // The chosen edge: its layer, query and key; -1: the one with the largest share.
  std::int64_t layer = -1, query = -1, key = -1;
  bool cross = false;
  // The chosen vector: behind `level` layers at token `at`; -1: an edge is chosen.
  std::int64_t level = -1, at = -1;
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::why
