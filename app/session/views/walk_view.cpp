#include "app/session/views/walk_view.h"

namespace headlight {

const ViewSchema<WalkView>& walk_view_schema() {
  static const ViewSchema<WalkView> schema = {
      {"step", "walk_step", &WalkView::step},
      {"open", "walk_open", &WalkView::open},
      {"page", "walk_page", &WalkView::page},
      {"draw", "walk_draw", &WalkView::draw},
  };
  return schema;
}

}  // namespace headlight
