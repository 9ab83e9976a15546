// The progress of the running export, at the right end of the status bar, with a button to stop it.
#pragma once

#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::window {

class Shell;

// Drawn in the bar from `low` to `high`. Returns the x where it begins; high.x if nothing is running.
float draw_export_progress(Shell& shell, const ui::Look& look, ImVec2 low, ImVec2 high);

}  // namespace headlight::window
