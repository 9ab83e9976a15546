// The Walk-through's text about the highlighted step: its words and numbers, the choice of layer and head, and suggestions to
// try.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// In a bordered area of this many points.
void draw_walk_notes(Context& context, const ui::Look& look, const WalkScene& scene, float width, float height);
// In presentation mode, and if there is no room for more: the step's name and operation, as much as fits in a line. Returns the
// height.
float draw_walk_line(Context& context, const WalkScene& scene, float width);
// If the notes have no room: one line, and all of them behind a button. Returns the height.
float draw_walk_notes_folded(Context& context, const ui::Look& look, const WalkScene& scene, float width);

}  // namespace headlight::panels
