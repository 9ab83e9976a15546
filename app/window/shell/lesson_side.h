// What of the lessons is drawn: the column beside the view with the step's text, its question and next and back; the rings
// around the parts it speaks of; the menu of lessons; the keys.
#pragma once

#include "app/ui/widgets.h"

namespace headlight::window {
class Shell;
}

namespace headlight::window::lesson_side {

// Whether the column is shown: a lesson is played, or one is written.
bool has_column(Shell& shell);
// In points, for a window so wide.
float column_width(float window_width);
// Of `room` points of height, what the column's upper part takes; the rest is the inspector's, 0 where it must give way.
float column_height(Shell& shell, float room, bool can_inspect);
// Into the current ImGui child window.
void draw_column(Shell& shell, const ui::Look& look);
// After everything else of the frame: amber rings, above the panels and below popups.
void draw_rings(Shell& shell, const ui::Look& look);
void draw_recorder(Shell& shell, const ui::Look& look);
// ... of the step being written, and the choice of parts with the mouse.
void draw_picking(Shell& shell, const ui::Look& look);
// The content of the popup under the "Lesson" button.
void draw_menu(Shell& shell, const ui::Look& look);
// Space and Shift+Space, digits for the answers, Ctrl+Shift+L for the menu.
void handle_keys(Shell& shell);

}  // namespace headlight::window::lesson_side
