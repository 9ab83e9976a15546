// What the Export button offers: the picture, the clipboard, the report.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// Inside a popup that is open.
void draw_export_menu(Shell& shell, const ui::Look& look);

}  // namespace headlight::window
