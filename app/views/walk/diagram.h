// The Walk-through's diagram, which draws itself: boxes, arrows, and the values that move.
#pragma once

#include "app/views/walk/parts.h"

namespace headlight::views::walk {

sheet::Node diagram_part(Sheet& sheet, const Shared& frame);

}  // namespace headlight::views::walk
