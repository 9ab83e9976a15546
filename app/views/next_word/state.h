// What the view Next word asks of a model.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::next_word {

struct State {
  std::int64_t position = -1;  // the token whose next one is predicted; -1: the last token
  std::int64_t words = 12;     // the number of words generated at once
  std::string tracked;         // a piece of the vocabulary; empty: the best candidate
  std::string first, second;   // the compared continuations; empty: the two best candidates
  bool cross = true;           // in a model that reads two texts: "looks" shows cross-attention
  std::int64_t layer = -1;     // the list shows what the model would say after this many layers; -1: after all
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::next_word
