// Copies a picture to the system's clipboard. GLFW's clipboard holds text only, so we give the picture to wl-copy (Wayland) or
// xclip (X11).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// The program that puts pictures on this system's clipboard, with its arguments for image/png. Errors (unavailable): no desktop,
// or no such program; the second names the package to install.
Result<std::vector<std::string>> picture_clipboard();

// Copies the bytes of a PNG file. The call blocks until the program has taken the picture (a fraction of a second, 5 seconds at
// most), so do not call it on the window's thread.
Status copy_png(std::string_view png);

}  // namespace headlight
