// What stands in place of the Walk-through's diagram: every step with its shape, and Q's grid of heads times Kᵀ's.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

inline constexpr const char *kShapesPage = "shapes", *kHeadsPage = "heads";  // WalkView::page

// In a child window of its own, `width` x `height` points.
void draw_walk_page(Context& context, const ui::Look& look, const WalkScene& scene, float width, float height);

// As the command line and Ctrl+E export them; without items where the trace has nothing to show there.
figures::Figure walk_shapes_figure(const Context& context, float width, float height);
figures::Figure head_products_figure(const Context& context, float width, float height);

}  // namespace headlight::panels
