#include "app/cli/window_hooks.h"

namespace headlight::cli {

WindowHooks& window_hooks() {
  static WindowHooks hooks;
  return hooks;
}

Error no_window(const Message& what) {
  return failure(ErrorKind::unavailable, "this build has no window, so it cannot {}", what)
      .mend("build it with -DHEADLIGHT_APP=ON");
}

}  // namespace headlight::cli
