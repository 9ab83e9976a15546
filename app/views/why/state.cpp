#include "app/views/why/state.h"

namespace headlight {

StateKind why_state() { return state_kind<views::why::State>("why"); }

namespace views::why {

void State::fields(Fields& field) {
  field({"page", "why_page"}, page);
  field({"position", "why_position"}, position, -1);
  field({.key = "threshold", .former = "why_threshold", .undone = kUndone}, threshold, 0.001, 1);
  field({"without_first", "why_without_first"}, without_first);
  field({"verticals", "why_verticals"}, verticals);
  field({"composes", "why_composes"}, composes);
  field({"word", "why_word"}, word);
  field({"over", "why_over"}, over);
  field({"changed"}, changed);
  field({"layer", "why_layer"}, layer, -1);
  field({"query", "why_query"}, query, -1);
  field({"key", "why_key"}, key, -1);
  field({"cross", "why_cross"}, cross);
  field({"level", "why_level"}, level, -1);
  field({"at", "why_at"}, at, -1);
}

}  // namespace views::why
}  // namespace headlight
