// A field for a text that runs from right to left, which Dear ImGui draws from left to right and without joining its letters.
#pragma once

#include <string>

#include "app/ui/widgets.h"
#include "imgui.h"

namespace headlight::ui {

// live_text_input() for such a text: it begins at the right edge, letters join, the caret goes to the left as one types, and the
// arrow keys and the mouse follow what is seen. `size` is the text's in points.
// turned_text_input(look, "##sentence", text, flags, 17) draws a field with "שלום" at its right.
bool turned_text_input(const Look& look, const char* id, std::string& text, ImGuiInputTextFlags flags, float size);

}  // namespace headlight::ui
