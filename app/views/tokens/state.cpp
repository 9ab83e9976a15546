#include "app/views/tokens/state.h"

namespace headlight {

StateKind tokens_state() { return state_kind<views::tokens::State>("tokens"); }

namespace views::tokens {

void State::fields(Fields& field) {
  field({"picture", "token_view"}, picture);
  field({"rows", "tokens_rows"}, rows);
  field({"pinned", "tokens_pinned"}, pinned);
  field({"pinned_start", "tokens_pinned_start"}, pinned_start, -1);
  field({"pinned_end", "tokens_pinned_end"}, pinned_end, -1);
  field({"second", "tokens_second"}, second);
  field({"columns", "tokens_columns"}, columns);
  field({"word", "tokens_word"}, word);
  field({"unigram", "tokens_unigram"}, unigram);
  field({"wordpiece", "tokens_wordpiece"}, wordpiece);
  field({"bpe", "tokens_bpe"}, bpe);
  field({"forbidden", "tokens_forbidden"}, forbidden);
  field({"path", "tokens_path"}, path, 0);
  field({"table", "tokens_table"}, table);
  field({"language", "tokens_language"}, language);
  field({"sorted_by", "tokens_sorted_by"}, sorted_by);
  field({"measured_on", "tokens_measured_on"}, measured_on);
}

}  // namespace views::tokens
}  // namespace headlight
