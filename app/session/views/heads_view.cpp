#include "app/session/views/heads_view.h"

namespace headlight {

const ViewSchema<HeadsView>& heads_view_schema() {
  static const ViewSchema<HeadsView> schema = {
      {"picture", "head_view", &HeadsView::picture},
      {"chosen", "chosen_heads", &HeadsView::chosen},
      {"together", "together", &HeadsView::together},
      {"order", "head_order", &HeadsView::order},
      {"filter", "head_filter", &HeadsView::filter},
      {"arc_share", "arc_share", &HeadsView::arc_share},
      {"row_word", "row_word", &HeadsView::row_word},
      {"cells", "heads_cells", &HeadsView::cells},
      {"thumbnail", "thumbnail", &HeadsView::thumbnail, -1, 400},
      {"first_layer", "heads_first_layer", &HeadsView::first_layer, -1},
      {"last_layer", "heads_last_layer", &HeadsView::last_layer, -1},
  };
  return schema;
}

}  // namespace headlight
