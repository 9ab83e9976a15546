#include "app/views/next_word/state.h"

namespace headlight {

StateKind next_word_state() { return state_kind<views::next_word::State>("next_word"); }

namespace views::next_word {

void State::fields(Fields& field) {
  field({"position", "next_position"}, position, -1);
  field({"words", "next_words"}, words, 1, 200);
  field({"tracked", "next_tracked"}, tracked);
  field({"first", "next_first"}, first);
  field({"second", "next_second"}, second);
  field({"cross", "next_cross"}, cross);
  field({"layer", "next_layer"}, layer, -1);
}

}  // namespace views::next_word
}  // namespace headlight
