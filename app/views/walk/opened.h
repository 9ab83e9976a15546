// The opened box of the Walk-through: its values as numbers if they fit, else as a heatmap that zooms until the numbers fit.
#pragma once

#include "app/views/walk/parts.h"

namespace headlight::views::walk {

// Draws only the values of box `index`, as a heatmap without zooming, in at most `width` x `height` points. Draws nothing for a
// text's boxes.
// draw_walk_values(context, look, walk, walk.input.lit, 340, 300) shows the highlighted step.
void draw_walk_values(const Context& context, const ui::Look& look, const WalkScene& scene, int index, float width, float height);

// The highlighted box's values, which have a button that closes them, and the inspector beside them.
sheet::Node opened_page(Sheet& sheet, const Shared& frame);

}  // namespace headlight::views::walk
