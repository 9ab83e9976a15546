// The pages that replace the Walk-through's diagram: the list of every step with its shape, and the products of Q's heads with
// Kᵀ's.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

inline constexpr const char *kShapesPage = "shapes", *kHeadsPage = "heads";  // WalkView::page

// Draws the page that WalkView::page names in a child window of `width` x `height` points.
// draw_walk_page(context, look, scene, 900, 500) after view.walk.page = kShapesPage draws the list.
void draw_walk_page(Context& context, const ui::Look& look, const WalkScene& scene, float width, float height);

// The pages as the command line and Ctrl+E export them; a figure without items if the trace has nothing to show there.
// walk_shapes_figure(context, 900, 500) is as high as its list of steps is long.
figures::Figure walk_shapes_figure(const Context& context, float width, float height);
figures::Figure head_products_figure(const Context& context, float width, float height);

}  // namespace headlight::panels
