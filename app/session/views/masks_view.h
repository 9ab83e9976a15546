// The saved state of the Masks tab, and the effect of its brush.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct MasksView {
  std::string tool = "rectangle";  // rectangle, row, column, cell
  bool allows = false;             // painting lets cells attend instead of masking them
  std::string shows = "after";     // before, after, difference, all
  std::string page = "paint";      // paint, shapes, fill
  std::int64_t row = -1;           // line by line: the row that the decoder has reached; -1: all rows at once
  bool operator==(const MasksView&) const = default;
};
const ViewSchema<MasksView>& masks_view_schema();

}  // namespace headlight
