// ImGui's text field over std::string.
#pragma once

#include <string>

#include "imgui.h"

namespace headlight::ui {

// With `hint` shown while empty. Returns what ImGui::InputText returns.
bool text_input(const char* id, std::string& text, const char* hint = nullptr, ImGuiInputTextFlags flags = 0);
// The same where every keystroke has its effect at once: Escape leaves the field and keeps what was typed.
bool live_text_input(const char* id, std::string& text, const char* hint = nullptr, ImGuiInputTextFlags flags = 0);
// Several lines; Enter begins a new one.
bool text_area(const char* id, std::string& text, ImVec2 size);
// Makes the field `id` (made in the same window) take up `text` even while it is being edited; the caret goes to the end.
void reload_text_input(ImGuiID id);

// ImGui::SetKeyboardFocusHere for the next control, also while the keyboard is in a child window: its focused item would take
// the focus back within the same frame.
void focus_next_control();

}  // namespace headlight::ui
