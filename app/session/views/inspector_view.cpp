#include "app/session/views/inspector_view.h"

namespace headlight {

const ViewSchema<InspectorView>& inspector_view_schema() {
  static const ViewSchema<InspectorView> schema = {
      {"step", "pinned_step", &InspectorView::step},
      {"index", "pinned_index", &InspectorView::index},
      {"shows", "inspector_shows", &InspectorView::shows},
  };
  return schema;
}

}  // namespace headlight
