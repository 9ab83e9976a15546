// ImGui's text field over std::string.
#pragma once

#include <string>

#include "imgui.h"

namespace headlight::ui {

// A field of one line that edits `text`; it shows `hint` while the text is empty. True if the text was edited in this frame (with
// ImGuiInputTextFlags_EnterReturnsTrue: if Enter was pressed).
// text_input("##name", name, "a name") edits `name`.
bool text_input(const char* id, std::string& text, const char* hint = nullptr, ImGuiInputTextFlags flags = 0);
// text_input() for a field whose every keystroke takes effect at once: Escape leaves the field and keeps the text.
bool live_text_input(const char* id, std::string& text, const char* hint = nullptr, ImGuiInputTextFlags flags = 0);
// A field of several lines; Enter begins a new line. text_area("##notes", notes, {400, 120}) is 400 x 120 pixels large.
bool text_area(const char* id, std::string& text, ImVec2 size);
// Replaces the text of field `id` (created in the same window), even while it is being edited; the caret moves to the end.
void reload_text_input(ImGuiID id);

// Gives the keyboard focus to the next control, as ImGui::SetKeyboardFocusHere does, but also while a child window has the focus.
// Without this function the child window's focused item would take the focus back within the same frame.
void focus_next_control();

}  // namespace headlight::ui
