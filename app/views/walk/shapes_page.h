// The page of the Walk-through that lists every step with its shape.
#pragma once

#include "app/views/walk/parts.h"

namespace headlight::views::walk {

sheet::Node shapes_page(Sheet& sheet, const Shared& frame);
// The page as it is exported: as high as its list is long; without items if there is no trace.
// shapes_figure(context, 900) is 1000 points wide, the least.
figures::Figure shapes_figure(const Context& context, float width);

}  // namespace headlight::views::walk
