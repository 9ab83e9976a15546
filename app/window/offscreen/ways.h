// The pictures that the views can show, by name: the tour draws them, and the frame benchmark measures them.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "app/session/view_state.h"

namespace headlight::window {

struct Way {
  const char* tab;
  const char* name;  // empty: the view's first picture
  std::function<void(ViewState&)> set;
  bool in_tour;  // has an image of its own in the tour
};

// All pictures in the order of the views. Every view of the registry has at least its first picture (a test compares them).
std::span<const Way> ways();
// The view and the picture's name: "heads" or "heads-dots".
std::string name_of(const Way& way);

}  // namespace headlight::window
