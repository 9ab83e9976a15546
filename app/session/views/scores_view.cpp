#include "app/session/views/scores_view.h"

namespace headlight {

const ViewSchema<ScoresView>& scores_view_schema() {
  static const ViewSchema<ScoresView> schema = {
      {"page", "scores_page", &ScoresView::page},
      {"relation", "scores_relation", &ScoresView::relation},
      {"factor", "scores_factor", &ScoresView::factor, 0, 1e6},
      {"masked", "scores_masked", &ScoresView::masked},
  };
  return schema;
}

}  // namespace headlight
