#include "app/views/recurrence/state.h"

namespace headlight {

StateKind recurrence_state() { return state_kind<views::recurrent::State>("recurrence"); }

namespace views::recurrent {

void State::fields(Fields& field) {
  field({"kind", "recurrence_kind"}, kind);
  field({"source", "recurrence_source"}, source);
  field({"page", "recurrence_page"}, page);
  field({"side", "recurrence_side"}, side);
  field({.key = "units", .former = "recurrence_units", .undone = kUndone}, units, 1, 64);
  field({"states", "recurrence_states"}, states, 1, 16);
  field({"selective", "recurrence_selective"}, selective);
  field({"at", "recurrence_at"}, at, -1, 1e6);
  field({"first", "recurrence_first"}, first, 0, 1e6);
  field({"channel", "recurrence_channel"}, channel, 0, 63);
  field({"learnt", "recurrence_learnt"}, learnt, 0, 5000);
  field({.key = "weights_times", .former = "recurrence_weights_times", .undone = kUndone}, weights_times, 0.25, 4);
}

}  // namespace views::recurrent
}  // namespace headlight
