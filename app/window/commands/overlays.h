// Drawings over the window: the list of shortcuts (F1) and, in presentation mode, the light under the mouse and messages.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// draw_shortcut_sheet(shell, look) draws the list of shortcuts while shell.ui.sheet_open is true.
void draw_shortcut_sheet(Shell& shell, const ui::Look& look);
// Draws a soft amber disc under the mouse, for pointing at the projected picture.
void draw_pointer(const ui::Look& look);
// In presentation mode: draws the status bar's message at the lower edge as long as the message lasts.
// draw_notice(shell, look) draws nothing after shell.ui.notice_until.
void draw_notice(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
