// The Compare view before anything is pinned: what pinning is for, and four suggested changes, each with the present pattern
// beside the changed one.
#pragma once

#include "app/views/base/sheet.h"

namespace headlight::views::comparing {

// What the view's scroll bar takes of its room, in points.
inline constexpr float kScrollBar = 14;

// A click on a card pins the present state and makes its change.
sheet::Node offers_column(Sheet& sheet);

}  // namespace headlight::views::comparing
