#include "app/session/views/why_view.h"

namespace headlight {

const ViewSchema<WhyView>& why_view_schema() {
  using View = WhyView;
  static const ViewSchema<View> schema = {
      {"page", "why_page", &View::page},
      {"position", "why_position", &View::position, -1},
      {"threshold", "why_threshold", &View::threshold, 0.001, 1},
      {"without_first", "why_without_first", &View::without_first},
      {"verticals", "why_verticals", &View::verticals},
      {"composes", "why_composes", &View::composes},
      {"word", "why_word", &View::word},
      {"over", "why_over", &View::over},
      {"changed", "", &View::changed},
      {"layer", "why_layer", &View::layer, -1},
      {"query", "why_query", &View::query, -1},
      {"key", "why_key", &View::key, -1},
      {"cross", "why_cross", &View::cross},
      {"level", "why_level", &View::level, -1},
      {"at", "why_at", &View::at, -1},
  };
  return schema;
}

}  // namespace headlight
