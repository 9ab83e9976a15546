#include "app/views/index/state.h"

namespace headlight {

StateKind index_state() { return state_kind<views::lab::State>("index_lab"); }

namespace views::lab {

void State::fields(Fields& field) {
  field({"word", "lab_word"}, word);
  field({"words", "lab_words"}, words, 1, 1 << 16);
  field({"length", "lab_length"}, length, 1, 512);
  field({"vocab", "lab_vocab"}, vocab, 1, 1 << 16);
  field({"d", "lab_d"}, d, 1, 4096);
  field({"heads", "lab_heads"}, heads, 1, 64);
  field({"cached", "lab_cached"}, cached);
  field({"padding", "lab_padding"}, padding);
  field({"word_lengths", "lab_word_lengths"}, word_lengths);
  field({"own_positions", "lab_own_positions"}, own_positions);
  field({"every_query", "lab_every_query"}, every_query);
  field({"log", "lab_log"}, log);
  field({"devices", "lab_devices"}, devices);
  field({"precisions", "lab_precisions"}, precisions);
  field({"shown", "lab_shown"}, shown);
  field({"page", "lab_page"}, page);
  field({"across", "lab_across"}, across);
  field({"up", "lab_up"}, up);
  field({"against", "lab_against"}, against);
}

}  // namespace views::lab
}  // namespace headlight
