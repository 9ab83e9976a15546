// The menu of the Export button: the picture, the clipboard, the report.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// Call it inside an open popup.
// draw_export_menu(shell, look);
void draw_export_menu(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
