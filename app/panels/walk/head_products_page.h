// The Walk-through's page that multiplies Q's heads by Kᵀ's for the present trace: a grid of blocks, and the same products as a
// loop over the heads.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// Draws the page at ImGui's cursor.
// draw_head_products(context, look, scene, 900, 500) fills at most 900 x 500 points.
void draw_head_products(Context& context, const ui::Look& look, const WalkScene& scene, float width, float height);
// The page as a picture for paper; a figure without items if the trace has no such product.
// head_products_paper(context, scene, 900, 500) is 900 points wide.
figures::Figure head_products_paper(const Context& context, const WalkScene& scene, float width, float height);

}  // namespace headlight::panels
