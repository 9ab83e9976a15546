// What the Export button offers: the picture, the clipboard, the report.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// Call it inside an open popup.
void draw_export_menu(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
