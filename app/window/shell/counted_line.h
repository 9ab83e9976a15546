// The line below a view that counts what of the view is no finite number. A click on a count goes to the next such cell.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// Called around the drawing of the view: what it draws in between is counted.
void begin_counted(const ui::Look& look);
void end_counted(Shell& shell, const ui::Look& look);
// The height in pixels that the line needs at this width, by what the last frame counted; 0: there is no line.
// The line stays while the view and the trace stay, so that its own room never makes it come and go.
float counted_height(const Shell& shell, const ui::Look& look, float width);
// Draws the line at ImGui's cursor.
void draw_counted(Shell& shell, const ui::Look& look, float width);

}  // namespace headlight::window
