// The states of the views, for sessions: also in builds without a window.
#include "app/fields/fields.h"

namespace headlight {

#define VIEW(name) StateKind name##_state();
#include "app/views/list.inc"
#undef VIEW

const std::vector<StateKind>& state_kinds() {
#define VIEW(name) name##_state(),
  static const std::vector<StateKind> kinds = {
#include "app/views/list.inc"
  };
#undef VIEW
  return kinds;
}

}  // namespace headlight
