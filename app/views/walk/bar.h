// The bar below the Walk-through: buttons to go through it, its pages, and the steps as dots.
#pragma once

#include "app/views/walk/parts.h"

namespace headlight::views::walk {

float bar_height(const ui::Look& look);  // in points; lower in a low window
sheet::Node bar_part(Sheet& sheet, const Shared& frame);

}  // namespace headlight::views::walk
