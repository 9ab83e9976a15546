// ImGui's text field over std::string.
#pragma once

#include <string>

#include "imgui.h"

namespace headlight::ui {

// `hint` is shown while the field is empty. Returns what ImGui::InputText returns.
bool text_input(const char* id, std::string& text, const char* hint = nullptr, ImGuiInputTextFlags flags = 0);
// The same for fields whose every keystroke takes effect at once: Escape leaves the field and keeps the text.
bool live_text_input(const char* id, std::string& text, const char* hint = nullptr, ImGuiInputTextFlags flags = 0);
// A field of several lines; Enter begins a new one.
bool text_area(const char* id, std::string& text, ImVec2 size);
// Replaces the text of field `id` (created in the same window), even while it is being edited; the caret moves to the end.
void reload_text_input(ImGuiID id);

// Like ImGui::SetKeyboardFocusHere for the next control, but also works while a child window has the focus: its focused item
// would otherwise take the focus back within the same frame.
void focus_next_control();

}  // namespace headlight::ui
