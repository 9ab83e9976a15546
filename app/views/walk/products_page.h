// The Walk-through's page that multiplies Q's heads by Kᵀ's for the present trace: a grid of blocks, and the same products as a
// loop over the heads.
#pragma once

#include "app/views/walk/parts.h"

namespace headlight::views::walk {

sheet::Node products_page(Sheet& sheet, const Shared& frame);
// The page as a picture for paper, at least 900 x 620 points; without items if the trace has no such product.
// products_figure(context, 1200, 760) is 1200 points wide.
figures::Figure products_figure(const Context& context, float width, float height);

}  // namespace headlight::views::walk
