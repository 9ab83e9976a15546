// What the person can do to the whole window: one list, from which come the keys, the command palette, the sheet of shortcuts and
// the README's table.
#pragma once

#include <string>
#include <vector>

#include "engine/core/registry.h"
#include "imgui.h"

namespace headlight::window {

class Shell;

// A key with its modifiers, as ImGui writes it.
struct Key {
  ImGuiKeyChord chord = 0;
  bool listed = true;  // false: works too, and is not told (the second plus of a keyboard)
};

struct Action {
  std::string id, label;  // "undo", "Undo"
  std::string formula;    // one sentence: what it does and why one would
  std::string source;     // which part of the window it belongs to, for the sheet: "document", "view", "window"
  std::vector<Key> keys;  // empty: by the palette only
  void (*run)(Shell&) = nullptr;
  bool (*enabled)(const Shell&) = nullptr;  // null: always
  bool repeats = false;                     // while the key is held down
  bool is_for_people = true;                // false: for whoever works on the program; in no list
};
// In the order of the lists; a label, a sentence and a key of each are told nowhere else.
const Registry<Action>& actions();

// A part of that list, in picture_actions.cpp: what the pictures of the tabs show.
std::vector<Action> picture_actions();

// "Ctrl+Shift+T", "Alt+Left", "F11".
std::string key_words(ImGuiKeyChord chord);
// The keys that are told, divided by ", ".
std::string shortcut_words(const Action& action);
bool is_enabled(const Action& action, const Shell& shell);

}  // namespace headlight::window
