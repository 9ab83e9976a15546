// The keys that work everywhere in the window. Read straight from the keyboard: the sentence field owns Ctrl+Z while it is being
// typed in, and undo is the document's, not the field's.
#include <algorithm>
#include <cmath>

#include "app/window/shell.h"
#include "imgui.h"

namespace headlight::window {

void handle_shortcuts(Shell& shell) {
  const ImGuiIO& io = ImGui::GetIO();
  if (shell.files.open() || shell.exports.open() || !io.KeyCtrl || io.KeyAlt) return;
  const auto pressed = [](ImGuiKey key, bool repeat = false) { return ImGui::IsKeyPressed(key, repeat); };
  if (pressed(ImGuiKey_Z, true)) {
    if (io.KeyShift)
      shell.redo();
    else
      shell.undo();
  }
  if (pressed(ImGuiKey_Y, true)) shell.redo();
  if (pressed(ImGuiKey_S)) {
    if (io.KeyShift)
      shell.ask_save();
    else
      shell.save();
  }
  if (pressed(ImGuiKey_O)) shell.ask_open();
  if (pressed(ImGuiKey_E)) shell.ask_export();
  if (pressed(ImGuiKey_L)) shell.ui.focus_sentence = true;
  if (pressed(ImGuiKey_Q)) shell.wants_quit = true;
  const auto zoom = [&](double factor) {
    const double now = shell.view().ui_scale > 0 ? shell.view().ui_scale : shell.last_scale;
    // Steps of an eighth keep pixels and text even.
    shell.view().ui_scale = std::clamp(std::round(now * factor * 8) / 8, 0.5, 4.0);
  };
  if (pressed(ImGuiKey_Equal, true) || pressed(ImGuiKey_KeypadAdd, true)) zoom(1.13);
  if (pressed(ImGuiKey_Minus, true) || pressed(ImGuiKey_KeypadSubtract, true)) zoom(1 / 1.13);
  if (pressed(ImGuiKey_0)) shell.view().ui_scale = 0;
  // Ctrl+PageDown and Ctrl+PageUp walk through the tabs.
  const auto& tabs = panels::registry().entries();
  const int step = pressed(ImGuiKey_PageDown) ? 1 : pressed(ImGuiKey_PageUp) ? -1 : 0;
  if (step != 0 && !tabs.empty()) {
    const auto at = std::find_if(tabs.begin(), tabs.end(), [&](const panels::Entry& e) { return e.id == shell.view().tab; });
    const auto n = static_cast<std::ptrdiff_t>(tabs.size());
    const auto next = ((at - tabs.begin()) + step + n) % n;
    shell.view().tab = tabs[static_cast<std::size_t>(next)].id;
  }
}

}  // namespace headlight::window
