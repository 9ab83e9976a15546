// The visible parts of the lessons: the column beside the view with the step's text, its question and buttons for next and back;
// the rings around the parts that the text mentions; the menu of lessons; the keys.
#pragma once

#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/ui/widgets.h"

namespace headlight::window {
class Shell;
}

namespace headlight::window::lesson_side {

// Whether the column is shown: a lesson is being played or written.
bool has_column(Shell& shell);
// Whether there is no room for a lesson beside the view, so that the two take turns, where both have `room` points of width.
bool takes_turns(Shell& shell, float room);
// Whether it is the lesson's turn, in place of the view: a new step shows the lesson, a newly chosen view that view.
bool is_reading(Shell& shell, float room);
// The button that brings the lesson back while the view is shown, at the right end of a row that is `right` pixels from the
// window's left side; returns its width in pixels with the gap before it. Without `draw` it is only measured.
float draw_lesson_button(Shell& shell, const ui::Look& look, float right, bool draw);
// In points, where it and the view have this width.
float column_width(float room);
// The height of the column's upper part, out of `room` points; the rest is the inspector's. 0 if the inspector must be hidden.
float column_height(Shell& shell, float room, bool can_inspect);
// What the live numbers of a step's texts are computed from at this moment.
lessons::Source source_of(Shell& shell, const lessons::Step& step);
// Draws into the current ImGui child window.
void draw_column(Shell& shell, const ui::Look& look);
// Call after everything else of the frame: amber rings, above the panels and below popups.
void draw_rings(Shell& shell, const ui::Look& look);
void draw_recorder(Shell& shell, const ui::Look& look);
// The rings of the step being written, and choosing parts with the mouse.
void draw_picking(Shell& shell, const ui::Look& look);
// The content of the popup under the "Lesson" button.
void draw_menu(Shell& shell, const ui::Look& look);
// Space and Shift+Space, digits for the answers, Ctrl+Shift+L for the menu.
void handle_keys(Shell& shell);

}  // namespace headlight::window::lesson_side
