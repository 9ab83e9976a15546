#include "app/session/views/positions_view.h"

namespace headlight {

const ViewSchema<PositionsView>& positions_view_schema() {
  static const ViewSchema<PositionsView> schema = {
      {"picture", "position_view", &PositionsView::picture},
      {"dimensions", "position_dims", &PositionsView::dimensions},
      {"count", "position_count", &PositionsView::count},
  };
  return schema;
}

}  // namespace headlight
