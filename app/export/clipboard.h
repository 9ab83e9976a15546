// A picture on the system's clipboard: GLFW's holds text only, so that wl-copy (Wayland) or xclip (X11) hold it for us.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// The program that holds pictures here, with its arguments for image/png. The error (unavailable) says what to install.
Result<std::vector<std::string>> picture_clipboard();

// Blocks until the program has taken the picture (a fraction of a second): not for the window's own thread.
Status copy_png(std::string_view png);

}  // namespace headlight
