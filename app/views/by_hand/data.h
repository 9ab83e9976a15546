// The case of the By hand view, and changes of it.
#pragma once

#include <string>

#include "app/views/by_hand/pictures.h"
#include "app/views/by_hand/state.h"
#include "engine/insight/by_hand.h"

namespace headlight::views::hand {

// The shown case: the preset with the numbers that the person has changed.
struct Shown {
  const by_hand::Entry* preset = nullptr;
  ByHandInput input;  // valid if `status` is ok
  bool own = false;   // a number differs from the preset's
  Status status;      // why the case cannot be computed
};
Shown shown_case(const State& state);

// choose_preset(state, "search") drops changed numbers.
void set_case(State& state, const by_hand::Case& changed);
void choose_preset(State& state, const std::string& id);
// Writes a typed number into the chosen cell, or a pasted table into the cells from the chosen one on. An error changes nothing.
// type_number(state, hand, "0.5") and paste_table(state, hand, "1\t2\n3\t4").
Status type_number(State& state, const by_hand::Case& hand, const std::string& text);
Status paste_table(State& state, const by_hand::Case& hand, const std::string& text);
// Another name for a query or a key; both get it where they are the same row under the same name. An empty name changes nothing.
// rename(state, hand, {false, 0}, "woman").
void rename(State& state, const by_hand::Case& hand, const HandName& name, const std::string& text);

// The temperature at a place 0..1 of its slider, and back: temperature_at(0.5) is 1 in the middle, temperature_at(0.75) is 3,
// temperature_at(1) is infinite.
double temperature_at(double place);
double place_of_temperature(double temperature);

// The typing into a cell, between frames.
struct Editing {
  bool open = false;                // the chosen cell shows a text field
  bool focus = false;               // the field gets the keyboard in this frame
  std::string draft, shown, error;  // shown: the field's first text
  HandPlace hot;                    // the number under the mouse
  HandName naming;                  // the name that shows a text field, with its text in `draft`
};

}  // namespace headlight::views::hand
