// The pictures that the views can show, by name: the tour draws them, and the frame benchmark measures them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>

#include "app/session/view_state.h"

namespace headlight::window {

struct Way {
  std::string tab;
  const char* name;  // empty: the view's first picture
  std::function<void(ViewState&)> set;
  bool in_tour;  // has an image of its own in the tour
};

// All pictures in the order of the views. Every view of the registry has at least its first picture (a test compares them).
std::span<const Way> ways();
// The view and the picture's name: "heads" or "heads-dots".
std::string name_of(const Way& way);
// Shows a picture; does nothing if there is none of that name. show_way(view, "values", "ledger") opens Values at its ledger.
void show_way(ViewState& view, std::string_view tab, std::string_view name);

}  // namespace headlight::window
