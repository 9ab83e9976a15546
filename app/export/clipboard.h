// Copies a picture to the system's clipboard. GLFW's clipboard holds text only, so wl-copy (Wayland) or xclip (X11) holds the
// picture.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// The program that can hold pictures on this system, with its arguments for image/png. The error (unavailable) says what to
// install.
Result<std::vector<std::string>> picture_clipboard();

// Blocks until the program has taken the picture (a fraction of a second), so do not call it on the window's thread.
Status copy_png(std::string_view png);

}  // namespace headlight
