// The opened box of the Walk-through: its values as numbers if they fit, else as a heatmap that can be zoomed until it shows
// them.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// Only the values of box `index`, as a heatmap that cannot be zoomed, in at most `width` x `height` points. Draws nothing for the
// boxes of the text.
void draw_walk_values(Context& context, const ui::Look& look, const WalkScene& scene, int index, float width, float height);

// Draws box `index` into `width` x `height` points at the cursor. False: it was closed.
bool draw_walk_open(Context& context, const ui::Look& look, const WalkScene& scene, int index, float width, float height);

}  // namespace headlight::panels
