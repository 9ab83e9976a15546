// How the Walk-through tab is looked at.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct WalkView {
  std::string step = "tokens";  // the box that is lit
  std::string open;             // the box whose values are open; empty: none
  std::string page;             // in place of the diagram: shapes, heads; empty: the diagram
  bool operator==(const WalkView&) const = default;
};
const ViewSchema<WalkView>& walk_view_schema();

}  // namespace headlight
