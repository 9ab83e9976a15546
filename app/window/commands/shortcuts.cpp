// The keys of the actions. They are read directly from the keyboard, because a focused sentence field would take Ctrl+Z; undo
// applies to the document, not to the field.
#include "app/views/base/view.h"
#include "app/window/commands/actions.h"
#include "app/window/shell/lesson_side.h"
#include "app/window/shell/shell.h"
#include "app/window/shell/strip.h"
#include "imgui.h"
#include "imgui_internal.h"

namespace headlight::window {

namespace {

bool pressed(const Action& action, ImGuiKeyChord chord) {
  const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
  if ((ImGui::GetIO().KeyMods & ImGuiMod_Mask_) != (chord & ImGuiMod_Mask_)) return false;
  // Alt keys are consumed with each press (below), so that they repeat only as the keyboard repeats them.
  if (!ImGui::IsKeyPressed(key, action.repeats && !(chord & ImGuiMod_Alt))) return false;
  if (chord & ImGuiMod_Alt) {
    // Otherwise the sentence field, which takes the arrows while it is edited, would move its caret.
    ImGuiKeyData* data = ImGui::GetKeyData(key);
    data->Down = false;
    data->DownDuration = -1;
  }
  return true;
}

// Whether the open view closes something itself.
bool closes_own(const ViewState& view) {
  const views::View* const entry = views::registry().find(view.tab);
  return entry && entry->closes && entry->closes(view);
}

// Whether a menu, the glossary or the list of keys is open over the pictures.
bool is_covered(const Shell& shell) { return GImGui->OpenPopupStack.Size > 0 || shell.ui.glossary.open || shell.ui.sheet_open; }

// Closes the topmost of what Escape closes: the sheet of keys, the guessing, the strip, what the view closes itself, a zoom,
// presentation mode.
void close_one(Shell& shell) {
  ViewState& view = shell.view();
  if (shell.ui.glossary.open) {
    shell.ui.glossary.open = false;
  } else if (shell.ui.sheet_open) {
    shell.ui.sheet_open = false;
  } else if (shell.ui.guess.on()) {
    end_guess(shell);
    ImGuiKeyData* data = ImGui::GetKeyData(ImGuiKey_Escape);  // what the view closes itself stays open
    data->Down = false;
    data->DownDuration = -1;
  } else if (close_strip(shell)) {
    ImGui::SetKeyOwner(ImGuiKey_Escape, ImGui::GetID("strip"), ImGuiInputFlags_LockThisFrame);  // the view keeps its own
  } else if (closes_own(view)) {
    return;
  } else if (view.zoom > 1) {
    view.zoom = 1;
    view.pan_x = view.pan_y = 0;
  } else if (view.presentation && !shell.ui.rail_over) {
    view.presentation = false;
  }
}

}  // namespace

void handle_shortcuts(Shell& shell) {
  const ImGuiIO& io = ImGui::GetIO();
  if (shell.files.open() || shell.exports.open() || shell.palette.open()) return;
  handle_guess_keys(shell);  // before a lesson's question, whose answers are numbers, too
  lesson_side::handle_keys(shell);
  // Otherwise Alt alone would move the focus from the sentence to a menu bar, which this window does not have.
  const ImGuiID owner = ImGui::GetID("shortcuts");
  for (const ImGuiKey alt : {ImGuiKey_LeftAlt, ImGuiKey_RightAlt}) ImGui::SetKeyOwner(alt, owner);
  // Up and down, with or without Alt, would leave the field; Tab does so on purpose.
  if (io.WantTextInput || io.KeyAlt)
    for (const ImGuiKey arrow : {ImGuiKey_UpArrow, ImGuiKey_DownArrow}) ImGui::SetKeyOwner(arrow, owner);
  // With Ctrl they turn the views; the focus stays where it is.
  if (io.KeyCtrl)
    for (const ImGuiKey page : {ImGuiKey_PageUp, ImGuiKey_PageDown}) ImGui::SetKeyOwner(page, owner);
  for (const Action& action : actions().entries())
    for (const Key& key : action.keys)
      if (pressed(action, key.chord)) {
        if (action.waits && is_covered(shell)) return;
        if (is_enabled(action, shell)) action.run(shell);
        return;
      }
  // Escape closes what is open over the window, but first what is open inside that. ImGui has closed a popup, and ended the
  // typing in a field, before this frame began: what was open in the last one counts.
  bool& was_open = *ImGui::GetStateStorage()->GetBoolRef(ImGui::GetID("was open"), false);
  const bool is_open = GImGui->OpenPopupStack.Size > 0 || ImGui::IsAnyItemActive();
  if (ImGui::IsKeyPressed(ImGuiKey_Escape, false) && !is_open && !was_open) close_one(shell);
  was_open = is_open;
}

}  // namespace headlight::window
