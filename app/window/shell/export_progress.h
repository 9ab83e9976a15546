// The progress of the running export, at the right end of the status bar, with a button to stop it.
#pragma once

#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::window {

class Shell;

// Draws the progress into the bar from `low` to `high`, in pixels of the screen. Returns the x of its left end; high.x if no
// export runs.
// draw_export_progress(shell, look, {0, 970}, {1600, 1000}) draws at the right end of this bar.
float draw_export_progress(Shell& shell, const ui::Look& look, ImVec2 low, ImVec2 high);

}  // namespace headlight::window
