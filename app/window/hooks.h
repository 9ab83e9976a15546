// Gives the commands what they need from the window (app/cli/window_hooks.h).
#pragma once

namespace headlight::window {

void install_hooks();

}  // namespace headlight::window
