// What of the lessons is drawn: the column beside the view with the step's text, its question and next and back; the rings
// around the parts it speaks of; the menu of lessons; the keys.
#pragma once

#include "app/window/widgets.h"

namespace headlight::window {
class Shell;
}

namespace headlight::lessons {

// Whether the column is shown: a lesson is played, or one is written.
bool has_column(window::Shell& shell);
// In points, for a window so wide.
float column_width(float window_width);
// Of `room` points of height, what the column's upper part takes; the rest is the inspector's, 0 where it must give way.
float column_height(window::Shell& shell, float room, bool can_inspect);
// Into the current ImGui child window.
void draw_column(window::Shell& shell, const window::Look& look);
// After everything else of the frame: amber rings, above the panels and below popups.
void draw_rings(window::Shell& shell, const window::Look& look);
void draw_recorder(window::Shell& shell, const window::Look& look);
// ... of the step being written, and the choice of parts with the mouse.
void draw_picking(window::Shell& shell, const window::Look& look);
// The content of the popup under the "Lesson" button.
void draw_menu(window::Shell& shell, const window::Look& look);
// Space and Shift+Space, digits for the answers, Ctrl+Shift+L for the menu.
void handle_keys(window::Shell& shell);

}  // namespace headlight::lessons
