// Gives the commands what they ask of the window (app/cli/window_hooks.h).
#pragma once

namespace headlight::window {

void install_hooks();

}  // namespace headlight::window
