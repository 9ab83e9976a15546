// The case that the By hand view works, and its changes: each is recorded, so that it can be taken back.
#pragma once

#include <string>
#include <vector>

#include "app/figures/by_hand/by_hand_figures.h"
#include "app/panels/shared/panel.h"
#include "engine/insight/by_hand.h"

namespace headlight::panels {

struct ByHandState {
  const by_hand::Entry* preset = nullptr;
  figures::ByHandInput input;  // valid if `status` is ok
  bool own = false;            // a number differs from the preset's
  Status status;               // why the case cannot be worked
};
ByHandState by_hand_state(const Context& context);

// What the view holds between frames.
struct ByHandTransient {
  struct Before {
    std::string preset, own;
  };
  std::vector<Before> undo, redo;
  std::string moving;               // what a drag changes, so that one drag is one step; empty: none
  bool editing = false;             // the chosen cell has a field
  bool focus = false;               // which gets the keyboard in this frame
  std::string draft, shown, error;  // shown: what the field began with
  figures::HandPlace hot;           // under the mouse
};

// Each records what was before. `moving` names a drag: its later changes join the first.
void set_case(ViewState& view, ByHandTransient& kept, const by_hand::Case& changed, const std::string& moving = {});
void choose_preset(ViewState& view, ByHandTransient& kept, const std::string& id);
// Takes back, or makes again, a change of the case where the view is open; false: there is none.
bool undo_by_hand(ViewState& view, Transient& transient);
bool redo_by_hand(ViewState& view, Transient& transient);

// The chosen cell's number becomes what was typed, or those from it on what was pasted. An error leaves all as it was.
Status type_number(ViewState& view, ByHandTransient& kept, const by_hand::Case& hand, const std::string& text);
Status paste_table(ViewState& view, ByHandTransient& kept, const by_hand::Case& hand, const std::string& text);

// The temperature at a place 0 .. 1 of its slider: 0 at the left, 1 in the middle, infinite at the right.
double temperature_at(double place);
double place_of_temperature(double temperature);

}  // namespace headlight::panels
