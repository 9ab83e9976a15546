// Keys, focus and scrolling where Dear ImGui has only internal functions for them.
#pragma once

#include "imgui.h"

namespace headlight::ui {

// Keeps a key from every other control of this frame. `owner` names who takes it, within the present window.
// take_key(ImGuiKey_Space, "walk keys"): the space bar does not press the button that has the focus.
void take_key(ImGuiKey key, const char* owner);

// Whether a control has the keyboard focus and shows it, so that Enter presses it.
bool control_has_focus();

// Scrolls the window as little as shows the whole height of the last item.
void scroll_to_item();

}  // namespace headlight::ui
