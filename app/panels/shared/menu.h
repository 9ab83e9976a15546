// A menu of a few lines, of a small button or of a picture.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// Whether the popup `id` is open, and then begun with room around its lines (panels draw in children without any), in the words'
// face: fill it and call end_menu(). `under`: it hangs from the control drawn last, above it where there is more room, so that
// what was pressed stays in sight; else it opens where the mouse is.
bool begin_menu(const Context& context, const ui::Look& look, const char* id, bool under);
void end_menu();

}  // namespace headlight::panels
