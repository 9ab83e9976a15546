// What lies over the window: the sheet of shortcuts (F1), and in presentation mode the light under the mouse and what is said.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

void draw_shortcut_sheet(Shell& shell, const ui::Look& look);
// A soft amber disc under the mouse, for whoever points at the wall.
void draw_pointer(const ui::Look& look);
// What the status bar would say, at the lower edge, while it is said.
void draw_notice(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
