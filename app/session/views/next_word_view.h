// What the Next word view asks of a model.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct NextWordView {
  std::int64_t position = -1;  // the token behind which the next one is predicted; -1: the last
  double temperature = 1.0;
  std::int64_t top_k = 10;    // 0: all
  double top_p = 0.9;         // 1: all
  bool sample = true;         // false: the best token each time
  std::int64_t seed = 7;      // of the draws
  std::int64_t words = 12;    // how many are generated at once
  std::string tracked;        // a piece of the vocabulary; empty: the best candidate
  std::string first, second;  // the continuations that are compared; empty: the two best candidates
  bool cross = true;          // which attention "looks" shows of a model that reads two texts
  std::int64_t layer = -1;    // the list is what the model would say after so many layers; -1: all of them
  bool operator==(const NextWordView&) const = default;
};
const ViewSchema<NextWordView>& next_word_view_schema();

}  // namespace headlight
