// The quiet line above the status bar that offers a published language model, until it is here or the person declines it for
// good.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// The line's height in pixels; 0: it is not shown.
float model_offer_height(const Shell& shell, const ui::Look& look);
// Draws the line at ImGui's cursor.
// draw_model_offer(shell, look);
void draw_model_offer(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
