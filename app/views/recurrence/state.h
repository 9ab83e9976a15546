// The saved state of the Recurrence view, and its settings.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::recurrent {

struct State {
  std::string kind = "lstm";     // the network's id in recurrence::kinds()
  std::string source = "text";   // "text": the sentence's tokens; "hello": the lecture's letters; "repeats": letters that repeat
  std::string page = "network";  // where there is room for one page only: "network", or the page that `side` names
  std::string side = "reach";    // "reach", "gradients", "learning", "matrix", "forms"
  std::int64_t units = 16, states = 4;
  bool selective = true;     // for a state space model
  std::int64_t at = -1;      // the token whose influence is shown; -1: the first one
  std::int64_t first = 0;    // the first visible token
  std::int64_t channel = 0;  // the channel of a state space model whose matrix is shown
  std::int64_t learnt = 0;   // the number of learning steps
  double weights_times = 1;  // the factor of the recurrent weights in the chart of gradients
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::recurrent
