#include "app/session/views/embeddings_view.h"

namespace headlight {

const ViewSchema<EmbeddingsView>& embeddings_view_schema() {
  static const ViewSchema<EmbeddingsView> schema = {
      {"sum", "embeddings_sum", &EmbeddingsView::sum},
      {"first", "embeddings_first", &EmbeddingsView::first},
      {"second", "embeddings_second", &EmbeddingsView::second},
      {"token", "embeddings_token", &EmbeddingsView::token, -1},
      {"target", "embeddings_target", &EmbeddingsView::target},
      {"page", "embeddings_page", &EmbeddingsView::page},
      {"kind", "embeddings_kind", &EmbeddingsView::kind},
      {"text", "embeddings_text", &EmbeddingsView::text},
      {"path", "embeddings_path", &EmbeddingsView::path},
      {"width", "embeddings_width", &EmbeddingsView::width, 2, 64},
      {"epochs", "embeddings_epochs", &EmbeddingsView::epochs, 1, 1000},
      {"shown_words", "embeddings_shown_words", &EmbeddingsView::shown_words},
      {"word", "embeddings_word", &EmbeddingsView::word},
      {"step", "embeddings_step", &EmbeddingsView::step, -1, 1000},
      {"name", "embeddings_name", &EmbeddingsView::name},
  };
  return schema;
}

}  // namespace headlight
