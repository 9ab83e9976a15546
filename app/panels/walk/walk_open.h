// The opened box of the Walk-through: its values as numbers if they fit, else as a heatmap that zooms until the numbers fit.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// Draws only the values of box `index`, as a heatmap without zooming, in at most `width` x `height` points. Draws nothing for a
// text's boxes.
// draw_walk_values(context, look, scene, scene.input.lit, 340, 300) shows the highlighted step.
void draw_walk_values(Context& context, const ui::Look& look, const WalkScene& scene, int index, float width, float height);

// Draws box `index` into `width` x `height` points at ImGui's cursor. Returns false once the person has closed it.
// draw_walk_open(context, look, scene, scene.input.lit, 900, 500) opens the highlighted step.
bool draw_walk_open(Context& context, const ui::Look& look, const WalkScene& scene, int index, float width, float height);

}  // namespace headlight::panels
