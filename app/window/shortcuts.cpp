// The keys that work everywhere in the window. Read straight from the keyboard: the sentence field owns Ctrl+Z while it is being
// typed in, and undo is the document's, not the field's.
#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "app/lessons/side.h"
#include "app/window/shell.h"
#include "engine/tokenizers/tokenizer.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::window {

namespace {

// Alt with the arrows walks through the heads: left and right along a layer, up and down through the layers.
void walk_heads(Shell& shell) {
  ViewState& view = shell.view();
  const auto& trace = shell.published().trace;
  const auto pressed = [](ImGuiKey key) {
    if (!ImGui::IsKeyPressed(key, false)) return false;
    // The press is used up here: the sentence field, which owns the arrows while it is edited, would move its caret.
    ImGuiKeyData* data = ImGui::GetKeyData(key);
    data->Down = false;
    data->DownDuration = -1;
    return true;
  };
  if (pressed(ImGuiKey_LeftArrow)) --view.head;
  if (pressed(ImGuiKey_RightArrow)) ++view.head;
  if (pressed(ImGuiKey_UpArrow)) --view.layer;
  if (pressed(ImGuiKey_DownArrow)) ++view.layer;
  if (trace) fit(view, *trace);
}

void next_tokenizer(Shell& shell, bool back) {
  const auto& entries = tokenizers::registry().entries();
  const auto n = static_cast<std::ptrdiff_t>(entries.size());
  Document document = shell.document();
  const auto at =
      std::find_if(entries.begin(), entries.end(), [&](const auto& e) { return e.id == document.tokenizer; }) - entries.begin();
  document.tokenizer = entries[static_cast<std::size_t>(((at == n ? -1 : at) + (back ? -1 : 1) + 2 * n) % n)].id;
  shell.edit(std::move(document));
}

void toggle_causal(Shell& shell) {
  Document document = shell.document();
  const auto at =
      std::find_if(document.masks.begin(), document.masks.end(), [](const Choice& choice) { return choice.id == "causal"; });
  if (at == document.masks.end())
    document.masks.push_back({"causal", {}});
  else
    document.masks.erase(at);
  shell.edit(std::move(document));
}

}  // namespace

void handle_shortcuts(Shell& shell) {
  const ImGuiIO& io = ImGui::GetIO();
  if (shell.files.open() || shell.exports.open()) return;
  lessons::handle_keys(shell);
  // For whoever works on the shaders: HEADLIGHT_SHADER_DIR names their folder, F5 reads them again.
  if (ImGui::IsKeyPressed(ImGuiKey_F5, false) && std::getenv("HEADLIGHT_SHADER_DIR") && shell.frame_in_progress &&
      shell.frame_in_progress->has_gl) {
    const Status status = shell.frame_in_progress->figures.reload_shaders();
    shell.say(status.ok() ? tr("shaders read again") : status.error().sentence(), !status.ok());
  }
  // Alt alone would take the focus from the sentence to a menu bar that this window does not have.
  const ImGuiID walker = ImGui::GetID("walk heads");
  for (const ImGuiKey alt : {ImGuiKey_LeftAlt, ImGuiKey_RightAlt}) ImGui::SetKeyOwner(alt, walker);
  // Up and down would leave the field, with Alt or without; Tab does that on purpose.
  if (io.WantTextInput || io.KeyAlt)
    for (const ImGuiKey arrow : {ImGuiKey_UpArrow, ImGuiKey_DownArrow}) ImGui::SetKeyOwner(arrow, walker);
  if (io.KeyAlt && !io.KeyCtrl) {
    if (ImGui::IsKeyPressed(ImGuiKey_Backspace, false)) {
      shell.transient.visited.asked = io.KeyShift ? 1 : -1;
      ImGuiKeyData* data = ImGui::GetKeyData(ImGuiKey_Backspace);  // used up: the sentence would lose a letter
      data->Down = false;
      data->DownDuration = -1;
    }
    walk_heads(shell);
    return;
  }
  if (!io.KeyCtrl || io.KeyAlt) return;
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
  if (pressed(ImGuiKey_L)) (io.KeyShift ? shell.player().menu_wanted : shell.ui.focus_sentence) = true;
  if (io.KeyShift && pressed(ImGuiKey_C)) shell.copy_shown_numbers();
  if (pressed(ImGuiKey_Q)) shell.wants_quit = true;
  if (pressed(ImGuiKey_T)) next_tokenizer(shell, io.KeyShift);
  if (pressed(ImGuiKey_M)) toggle_causal(shell);
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
