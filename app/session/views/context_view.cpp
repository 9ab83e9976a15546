#include "app/session/views/context_view.h"

namespace headlight {

const ViewSchema<ContextView>& context_view_schema() {
  using View = ContextView;
  static const ViewSchema<View> schema = {
      {"word", "context_word", &View::word},
      {"sentences", "context_sentences", &View::sentences},
      {"probes", "context_probes", &View::probes},
      {"layer", "context_layer", &View::layer, -1},
      {"sentence", "context_sentence", &View::sentence, 0, 5},
      {"measure", "context_measure", &View::measure},
      {"plane", "context_plane", &View::plane},
      {"head", "context_head", &View::head, 0},
      {"query", "context_query", &View::query, -1},
  };
  return schema;
}

}  // namespace headlight
