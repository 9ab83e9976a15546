// The opened box of the walk-through: its values as numbers where they fit, else as a heatmap that zooms down to them.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// The values of box `index` alone, as a heatmap that does not zoom, in at most `width` x `height` points. Nothing for the boxes
// of the text.
void draw_walk_values(Context& context, const ui::Look& look, const WalkScene& scene, int index, float width, float height);

// Draws box `index` into `width` x `height` points at the cursor. False: it was closed.
bool draw_walk_open(Context& context, const ui::Look& look, const WalkScene& scene, int index, float width, float height);

}  // namespace headlight::panels
