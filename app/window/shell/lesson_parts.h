// Parts of the lesson's column: texts with live numbers, and the exercise.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/lessons/lesson.h"
#include "app/lessons/places.h"
#include "app/lessons/prose.h"
#include "app/session/derived_key.h"
#include "app/ui/widgets.h"

namespace headlight::window {
class Shell;
}

namespace headlight::window::lesson_side {

inline constexpr float kText = 16, kQuestion = 15;

// A line's height in pixels.
float line_height(const ui::Look& look, float size, figures::Font font);

struct Written {
  std::vector<lessons::Run> runs;
  lessons::Prose prose;
};
// Everything that the numbers of a text depend on.
DerivedKey key_of(Shell& shell, const ui::Look& look, const lessons::Source& source, const std::string& text, float width,
                  float size, const std::string& color);
// A text `width` points wide, its places filled; null after an error.
std::shared_ptr<const Written> written(Shell& shell, const ui::Look& look, const lessons::Step& step, const std::string& text,
                                       float width, float size, figures::Color color, const std::string& color_name);
// Draws a text at ImGui's cursor. A number under the mouse highlights its place; a click has it explained. `width` in points; 0:
// what there is.
// draw_text(shell, look, step, "{tokens} tokens", "text", kText, theme.text, "text");
void draw_text(Shell& shell, const ui::Look& look, const lessons::Step& step, const std::string& text, const char* id, float size,
               figures::Color color, const std::string& color_name, float width = 0);
// How near the shown state is to the goal of the step's exercise, and its solution.
// draw_exercise(shell, look, *player.current());
void draw_exercise(Shell& shell, const ui::Look& look, const lessons::Step& step);

}  // namespace headlight::window::lesson_side
