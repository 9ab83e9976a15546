// What the Walk-through says of the lit step: its words and numbers, which layer and head is looked at, and what one may try.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// In a bordered place of this many points.
void draw_walk_notes(Context& context, const ui::Look& look, const WalkScene& scene, float width, float height);
// Presented, and where there is no room for more: the step's name and its operation, as much as a line holds. Returns the height.
float draw_walk_line(Context& context, const WalkScene& scene, float width);
// Where the notes have no room, a line, and all of them behind a button. Returns the height.
float draw_walk_notes_folded(Context& context, const ui::Look& look, const WalkScene& scene, float width);

}  // namespace headlight::panels
