// The questions of the Next word view to a model.
#pragma once

#include "app/fields/fields.h"

namespace headlight {

struct NextWordView {
  std::int64_t position = -1;  // the token whose next one is predicted; -1: the last token
  double temperature = 1.0;
  std::int64_t top_k = 10;    // 0: all
  double top_p = 0.9;         // 1: all
  bool sample = true;         // false: the best token each time
  std::int64_t seed = 7;      // the seed of the draws
  std::int64_t words = 12;    // the number of words generated at once
  std::string tracked;        // a piece of the vocabulary; empty: the best candidate
  std::string first, second;  // the compared continuations; empty: the two best candidates
  bool cross = true;          // in a model that reads two texts: "looks" shows cross-attention
  std::int64_t layer = -1;    // the list shows what the model would say after this many layers; -1: after all
  bool operator==(const NextWordView&) const = default;
};
const ViewSchema<NextWordView>& next_word_view_schema();

}  // namespace headlight
