// The ways of looking that the tabs have, by name: what the tour takes pictures of and what the frame benchmark measures.
#pragma once

#include <span>
#include <string>

#include "app/session/view_state.h"

namespace headlight::window {

struct Way {
  const char* tab;
  const char* name;  // empty: as the tab opens
  void (*set)(ViewState&);
  bool in_tour;  // worth a picture of its own
};

// In the order of the tabs; every tab of the registry has at least the way in which it opens (a test compares them).
std::span<const Way> ways();
// "heads" or "heads-dots": the tab and the name.
std::string name_of(const Way& way);

}  // namespace headlight::window
