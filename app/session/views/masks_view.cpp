#include "app/session/views/masks_view.h"

namespace headlight {

const ViewSchema<MasksView>& masks_view_schema() {
  static const ViewSchema<MasksView> schema = {
      {"tool", "mask_tool", &MasksView::tool},    {"allows", "mask_allows", &MasksView::allows},
      {"shows", "mask_shows", &MasksView::shows}, {"page", "mask_page", &MasksView::page},
      {"row", "mask_row", &MasksView::row},
  };
  return schema;
}

}  // namespace headlight
