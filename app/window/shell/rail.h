// The rail at the left of the window: every view by its name, in groups. The folded rail shows pictures instead of names.
#pragma once

#include <string>

#include "app/figures/base/theme.h"
#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// Draws the rail at the left of the current window and stores its width in pixels in Shell::Ui: 0 in presentation mode and in
// very narrow windows. Call it before the other parts of the window.
// draw_rail(shell, look) sets shell.ui.rail.
void draw_rail(Shell& shell, const ui::Look& look);
// Folds or unfolds the rail. A window without room for it (presentation mode, a narrow window) shows it over the view until a
// view is chosen or the rail is turned again.
void turn_rail(Shell& shell);
// The button that shows the rail over the view, in the corner of a very narrow window: `height` pixels high, from `top` on.
// draw_rail_button(shell, look, 48, 28);
void draw_rail_button(Shell& shell, const ui::Look& look, float top, float height);
// Selects a view, as a click in the rail does.
// choose_view(shell, "masks") opens the Masks tab.
void choose_view(Shell& shell, const std::string& id);
// Draws the lamp: an amber disc of `radius` points around `at` with its beam, and `name` to its right, if it is not empty.
// draw_lamp(look, {20, 20}, 8, "Headlight");
void draw_lamp(const ui::Look& look, ImVec2 at, float radius, std::string_view name);

}  // namespace headlight::window
