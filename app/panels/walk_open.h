// The opened box of the walk-through: its values as numbers where they fit, else as a heatmap that zooms down to them.
#pragma once

#include "app/panels/walk_scene.h"
#include "app/window/widgets.h"

namespace headlight::panels {

// Draws box `index` into `width` x `height` points at the cursor. False: it was closed.
bool draw_walk_open(Context& context, const window::Look& look, const WalkScene& scene, int index, float width, float height);

}  // namespace headlight::panels
