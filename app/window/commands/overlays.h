// What is drawn over the window: the list of shortcuts (F1) and, in presentation mode, the light under the mouse and messages.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

void draw_shortcut_sheet(Shell& shell, const ui::Look& look);
// A soft amber disc under the mouse, for pointing at the projected picture.
void draw_pointer(const ui::Look& look);
// In presentation mode: the status bar's message at the lower edge, while it lasts.
void draw_notice(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
