#include "app/session/views/by_hand_view.h"

namespace headlight {

const ViewSchema<ByHandView>& by_hand_view_schema() {
  static const ViewSchema<ByHandView> schema = {
      {"preset", "by_hand_preset", &ByHandView::preset},        {"own", "by_hand_own", &ByHandView::own},
      {"stage", "by_hand_stage", &ByHandView::stage},           {"row", "by_hand_row", &ByHandView::row, 0, 11},
      {"column", "by_hand_column", &ByHandView::column, 0, 11},
  };
  return schema;
}

}  // namespace headlight
