// A menu of a few lines, for a small button or a picture.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// True if the popup `id` is open; it then has begun, with padding around its lines (panels draw in children without any) and the
// text font: fill it and call end_menu(). `under`: it opens below the last control, or above it where there is more room, so that
// the control stays visible; else it opens at the mouse.
bool begin_menu(const Context& context, const ui::Look& look, const char* id, bool under);
void end_menu();

}  // namespace headlight::panels
