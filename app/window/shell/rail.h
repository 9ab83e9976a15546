// The rail at the left of the window: every view by its name, in groups. Folded it shows pictures instead of names.
#pragma once

#include <string>

#include "app/figures/base/theme.h"
#include "app/ui/widgets.h"

namespace headlight::window {

class Shell;

// Draws the rail at the left of the current window and says in Shell::Ui how many pixels it takes there: none in presentation
// mode and in very narrow windows. Call it before the other parts of the window.
void draw_rail(Shell& shell, const ui::Look& look);
// Folds or unfolds the rail. Where the window has no room for it (presentation mode, a narrow window), it is laid over the view
// until a view is chosen, or taken away again.
void turn_rail(Shell& shell);
// Where a very narrow window has no rail: the button that lays it over the view, in the corner of the window, `height` pixels
// high from `top` on.
void draw_rail_button(Shell& shell, const ui::Look& look, float top, float height);
// Selects a view, as a click in the rail does.
void choose_view(Shell& shell, const std::string& id);
// An amber disc of this radius in points around `at` and its beam; `name` to the right of them, if it is not empty.
void draw_lamp(const ui::Look& look, ImVec2 at, float radius, std::string_view name);

}  // namespace headlight::window
