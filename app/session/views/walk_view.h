// The saved state of the Walk-through tab.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct WalkView {
  std::string step = "tokens";  // the highlighted box
  std::string open;             // the box that is opened; empty: none
  std::string page;             // the page that replaces the diagram: shapes, heads; empty: the diagram
  bool draw = false;            // the word behind the last layer is drawn by chance; false: the likeliest
  bool operator==(const WalkView&) const = default;
};
const ViewSchema<WalkView>& walk_view_schema();

}  // namespace headlight
