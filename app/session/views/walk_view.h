// How the Walk-through tab is looked at.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct WalkView {
  std::string step = "tokens";  // the box that is lit
  std::string open;             // the box whose values are open; empty: none
  bool operator==(const WalkView&) const = default;
};
const ViewSchema<WalkView>& walk_view_schema();

}  // namespace headlight
