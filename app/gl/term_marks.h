// Terms of the glossary in the texts that are drawn: a faint line under the first one of each in a part of the window, and which
// of them the mouse is on. One thread draws the window, so that there is one set of marks.
#pragma once

#include <string_view>

#include "app/text/glossary.h"
#include "engine/core/function_ref.h"
#include "imgui.h"

namespace headlight::gl {

// Draws the lines under the terms of a text that was drawn in `color`, in one line. `at` is its upper left corner in pixels,
// `high` its height, `width_of` the width in pixels of a beginning of it. Nothing is marked in popups, in the bars around the
// view, or while NoTermMarks lives. mark_terms(list, "weights of a head", {20, 40}, 18, width_of, color, 1);
void mark_terms(ImDrawList& list, std::string_view text, ImVec2 at, float high, FunctionRef<float(std::string_view)> width_of,
                ImU32 color, float scale);
// The same of a text that ImGui drew at `at` in its present font and colour, in lines of at most `width` pixels.
void mark_wrapped_terms(std::string_view text, ImVec2 at, float width, float scale);

// While it lives, texts are drawn without marks: those of buttons, which have a tooltip of their own.
class NoTermMarks {
 public:
  NoTermMarks();
  ~NoTermMarks();
  NoTermMarks(const NoTermMarks&) = delete;
  NoTermMarks& operator=(const NoTermMarks&) = delete;
};

// The term that the mouse is on in this frame, and where it stands in pixels; null: none.
struct PointedTerm {
  const Glossary::Entry* entry = nullptr;
  ImVec2 low, high;
};
PointedTerm pointed_term();

// For tests: how many terms were underlined in this frame.
int marked_terms();

}  // namespace headlight::gl
