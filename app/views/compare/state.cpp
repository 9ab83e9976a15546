#include "app/views/compare/state.h"

namespace headlight {

StateKind compare_state() { return state_kind<views::comparing::State>("compare"); }

}  // namespace headlight
