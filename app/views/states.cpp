// The states of the views, for sessions: also in builds without a window.
#include "app/session/views/fields.h"

namespace headlight {

#define PANEL(name, group, icon)
#define VIEW(name) StateKind name##_state();
#include "app/views/list.inc"
#undef VIEW

const std::vector<StateKind>& state_kinds() {
#define VIEW(name) name##_state(),
  static const std::vector<StateKind> kinds = {
#include "app/views/list.inc"
  };
#undef VIEW
#undef PANEL
  return kinds;
}

}  // namespace headlight
