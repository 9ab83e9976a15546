// The case of the By hand view, and changes of it that can be undone.
#pragma once

#include <string>
#include <vector>

#include "app/figures/by_hand/by_hand_figures.h"
#include "app/panels/shared/panel.h"
#include "engine/insight/by_hand.h"

namespace headlight::panels {

// The case as the view shows it.
struct ByHandState {
  const by_hand::Entry* preset = nullptr;
  figures::ByHandInput input;  // valid if `status` is ok
  bool own = false;            // a number differs from the preset's
  Status status;               // why the case cannot be computed
};
ByHandState by_hand_state(const Context& context);

// The view's state between frames.
struct ByHandTransient {
  struct Before {
    std::string preset, own;
  };
  std::vector<Before> undo, redo;
  std::string moving;               // the name of the present drag, so that one drag is one step; empty: none
  bool editing = false;             // the chosen cell shows a text field
  bool focus = false;               // the field gets the keyboard in this frame
  std::string draft, shown, error;  // shown: the field's first text
  figures::HandPlace hot;           // the number under the mouse
};

// Both record the state before the change. `moving` names a drag: its later changes join the first one.
// set_case(view, kept, changed, "temperature") during a drag of the temperature; choose_preset(view, kept, id) drops changed
// numbers.
void set_case(ViewState& view, ByHandTransient& kept, const by_hand::Case& changed, const std::string& moving = {});
void choose_preset(ViewState& view, ByHandTransient& kept, const std::string& id);
// Undoes or redoes a change of the case while the view is open. Returns false if there is none.
// undo_by_hand(view, transient) is Ctrl+Z.
bool undo_by_hand(ViewState& view, Transient& transient);
bool redo_by_hand(ViewState& view, Transient& transient);

// Writes a typed number into the chosen cell, or a pasted table into the cells from the chosen one on. An error changes nothing.
// type_number(view, kept, hand, "0.5") and paste_table(view, kept, hand, "1\t2\n3\t4").
Status type_number(ViewState& view, ByHandTransient& kept, const by_hand::Case& hand, const std::string& text);
Status paste_table(ViewState& view, ByHandTransient& kept, const by_hand::Case& hand, const std::string& text);

// The temperature at a place 0..1 of its slider, and back: temperature_at(0.5) is 1 in the middle, temperature_at(0.75) is 3,
// temperature_at(1) is infinite.
double temperature_at(double place);
double place_of_temperature(double temperature);

}  // namespace headlight::panels
