// The pictures that the views can show, by name: the tour makes images of them, and the frame benchmark measures them.
#pragma once

#include <span>
#include <string>

#include "app/session/view_state.h"

namespace headlight::window {

struct Way {
  const char* tab;
  const char* name;  // empty: the picture that the view opens with
  void (*set)(ViewState&);
  bool in_tour;  // has an image of its own in the tour
};

// In the order of the views; every view of the registry has at least its opening picture (a test compares them).
std::span<const Way> ways();
// "heads" or "heads-dots": the view and the name.
std::string name_of(const Way& way);

}  // namespace headlight::window
