// How far the running export is, at the right end of the status bar, with the way to stop it.
#pragma once

#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::window {

class Shell;

// Within the bar from `low` to `high`. Returns the x where it begins; high.x where nothing runs.
float draw_export_progress(Shell& shell, const ui::Look& look, ImVec2 low, ImVec2 high);

}  // namespace headlight::window
