// The actions of the whole window. The keys, the command palette, the list of shortcuts and the manual's table are made from this
// one list.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "engine/core/registry.h"
#include "engine/document/document.h"
#include "imgui.h"

namespace headlight::window {

class Shell;

// A key with its modifiers, in ImGui's encoding.
struct Key {
  ImGuiKeyChord chord = 0;
  bool listed = true;  // false: it works but is not listed (a keyboard's second plus key)
};

struct Action {
  std::string id, label;  // "undo", "Undo"
  std::string formula;    // one sentence: the action's effect and its use
  std::string source;     // its section in the list of shortcuts: "document", "view", "window"
  std::vector<Key> keys;  // empty: only the palette offers it
  std::function<void(Shell&)> run;
  bool (*enabled)(const Shell&) = nullptr;  // null: always
  bool repeats = false;                     // the action repeats while the key is held down
  bool is_for_people = true;                // false: for developers; in no list
  bool waits = false;                       // its keys do nothing under an open menu, glossary or list of keys
};
// All actions, in the order of the lists. Labels, sentences and keys are defined here only.
const Registry<Action>& actions();

// A part of that list, in picture_actions.cpp: actions on the views' pictures.
std::vector<Action> picture_actions();
// Another part, in trained_actions.cpp: interventions, the next word, translation.
std::vector<Action> trained_actions();

// "Ctrl+Shift+T", "Alt+Left", "F11".
std::string key_words(ImGuiKeyChord chord);
// The keys of an action that are listed, separated by ", ".
std::string shortcut_words(const Action& action);
// Whether there is a trace to act on: a condition of many actions.
bool has_trace(const Shell& shell);
// is_enabled(*actions().find("undo"), shell) is false before the first edit.
bool is_enabled(const Action& action, const Shell& shell);
// The document with the sandbox in place of a trained model, whose tokenizer, positions and layers cannot be changed. Its sizes
// and texts stay.
Document in_sandbox(Document document);

}  // namespace headlight::window
