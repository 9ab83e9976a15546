// The window from its first frame to its last.
#pragma once

#include <filesystem>
#include <string>

#include "app/cli/window_hooks.h"

namespace headlight::window {

// Opens the window and runs it until it is closed. Returns the exit status; an error is printed as one line on stderr.
int run_window(const cli::WindowOptions& options);

}  // namespace headlight::window
