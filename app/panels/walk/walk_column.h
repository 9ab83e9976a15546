// The Walk-through's text about the highlighted step: its words and numbers, the choice of layer and head, and suggestions to
// try.
#pragma once

#include "app/panels/walk/walk_scene.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// Draws the notes in a bordered area of `width` x `height` points.
// draw_walk_notes(context, look, scene, 380, 520) fills a column at the diagram's side.
void draw_walk_notes(Context& context, const ui::Look& look, const WalkScene& scene, float width, float height);
// Draws the step's name and operation, as much as fits in a line: where there is no more room. In `whole` the step's sentence
// follows, which has two lines at every step, or three in a narrow place, so that the diagram stays where it is. A preset's
// remarks add a line. Returns the height in points.
// draw_walk_line(context, scene, 900) returns 28 without remarks, and 52 with them.
float draw_walk_line(Context& context, const WalkScene& scene, float width, bool whole = false);
// Draws the line, with a button that opens all of the notes: for places without room for them. Returns the height in points.
// draw_walk_notes_folded(context, look, scene, 900) also returns 28 or 52.
float draw_walk_notes_folded(Context& context, const ui::Look& look, const WalkScene& scene, float width);

}  // namespace headlight::panels
