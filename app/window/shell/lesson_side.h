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
// Whether a lesson and the view take turns, because a width of `room` points is too small for both.
// takes_turns(shell, 2000) is false.
bool takes_turns(Shell& shell, float room);
// Whether it is the lesson's turn. A new step shows the lesson; a newly chosen view shows the view.
// is_reading(shell, 2000) is false: the lesson is beside the view.
bool is_reading(Shell& shell, float room);
// The button that brings the lesson back while the view is shown. It stands at the end of a row, `right` pixels from the window's
// left side. Returns its width in pixels with the gap before it; without `draw` it is only measured.
// draw_lesson_button(shell, look, 1580, true);
float draw_lesson_button(Shell& shell, const ui::Look& look, float right, bool draw);
// The column's width in points, of the `room` that it and the view share.
float column_width(float room);
// The height in points of the column's upper part; the rest of `room` is the inspector's. All of `room` if the inspector is
// hidden.
// column_height(shell, 1000, true) is 560 while a lesson is played, and column_height(shell, 1000, false) is 1000.
float column_height(Shell& shell, float room, bool can_inspect);
// The data for the live numbers in a step's texts at this moment.
// source_of(shell, *shell.player().current()).trace is the shown trace.
lessons::Source source_of(Shell& shell, const lessons::Step& step);
// Draws into the current ImGui child window.
// draw_column(shell, look);
void draw_column(Shell& shell, const ui::Look& look);
// Below it, and below the inspector: the buttons of a lesson that is played, at the lower edge of their child window, so that
// they stay where they are from step to step. Their height in points is 0 where no lesson is played.
float footer_height(Shell& shell);
void draw_footer(Shell& shell, const ui::Look& look);
// Draws amber rings above the panels and below popups. Call it after everything else of the frame.
// draw_rings(shell, look);
void draw_rings(Shell& shell, const ui::Look& look);
void draw_recorder(Shell& shell, const ui::Look& look);
// Draws the rings of the step being written, and lets the person choose parts with the mouse.
// draw_picking(shell, look);
void draw_picking(Shell& shell, const ui::Look& look);
// Draws the contents of the popup under the button "Lesson".
// draw_menu(shell, look);
void draw_menu(Shell& shell, const ui::Look& look);
// Space and Shift+Space, digits for the answers, Ctrl+Shift+L for the menu.
void handle_keys(Shell& shell);

}  // namespace headlight::window::lesson_side
