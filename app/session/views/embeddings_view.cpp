#include "app/session/views/embeddings_view.h"

namespace headlight {

const ViewSchema<EmbeddingsView>& embeddings_view_schema() {
  static const ViewSchema<EmbeddingsView> schema = {
      {"sum", "embeddings_sum", &EmbeddingsView::sum},          {"first", "embeddings_first", &EmbeddingsView::first},
      {"second", "embeddings_second", &EmbeddingsView::second}, {"token", "embeddings_token", &EmbeddingsView::token, -1},
      {"target", "embeddings_target", &EmbeddingsView::target},
  };
  return schema;
}

}  // namespace headlight
