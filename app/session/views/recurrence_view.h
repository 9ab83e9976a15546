// What the Recurrence view shows.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct RecurrenceView {
  std::string kind = "lstm";     // id of the network: recurrence::kinds()
  std::string source = "text";   // "text": the sentence's tokens; "hello": the lecture's letters
  std::string page = "network";  // where there is no room beside the network: "network", or the side's page
  std::string side = "reach";    // "reach", "learning", "matrix", "forms"
  std::int64_t units = 16, states = 4;
  bool selective = true;     // of a state space
  std::int64_t at = -1;      // the token that is followed; -1: the first one
  std::int64_t first = 0;    // the first token in sight
  std::int64_t channel = 0;  // of a state space, whose matrix is shown
  std::int64_t learnt = 0;   // steps of learning that have been taken
  double weights_times = 1;  // recurrent weights in the chart of gradients
  bool operator==(const RecurrenceView&) const = default;
};
const ViewSchema<RecurrenceView>& recurrence_view_schema();

}  // namespace headlight
