// Connects the commands with the window (app/cli/window_hooks.h).
#pragma once

namespace headlight::window {

void install_hooks();

}  // namespace headlight::window
