#include "app/views/embeddings/state.h"

namespace headlight {

StateKind embeddings_state() { return state_kind<views::word_vectors::State>("embeddings"); }

namespace views::word_vectors {

void State::fields(Fields& field) {
  field({"sum", "embeddings_sum"}, sum);
  field({"first", "embeddings_first"}, first);
  field({"second", "embeddings_second"}, second);
  field({"token", "embeddings_token"}, token, -1);
  field({"target", "embeddings_target"}, target);
  field({"page", "embeddings_page"}, page);
  field({"kind", "embeddings_kind"}, kind);
  field({"text", "embeddings_text"}, text);
  field({"path", "embeddings_path"}, path);
  field({"width", "embeddings_width"}, width, 2, 64);
  field({"epochs", "embeddings_epochs"}, epochs, 1, 1000);
  field({"shown_words", "embeddings_shown_words"}, shown_words);
  field({"word", "embeddings_word"}, word);
  field({"step", "embeddings_step"}, step, -1, 1000);
  field({"name", "embeddings_name"}, name);
}

}  // namespace views::word_vectors
}  // namespace headlight
