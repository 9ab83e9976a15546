// A menu of a few lines, for a small button or a picture.
#pragma once

#include "app/ui/widgets.h"
#include "app/views/base/context.h"

namespace headlight::views {

// Returns true while the popup `id` is open. It has then begun, with padding around its lines (panels draw in children without
// any) and the text font: fill it and call end_menu(). If `under`, it opens below the last control, or above where there is more
// room, so that the control stays visible; else it opens at the mouse.
// if (begin_menu(context, look, "sizes", true)) { ImGui::MenuItem("small"); end_menu(); }
bool begin_menu(const Context& context, const ui::Look& look, const char* id, bool under);
void end_menu();

}  // namespace headlight::views
