// The commands of the command palette.
#pragma once

#include <vector>

#include "app/window/dialogs/command_palette.h"

namespace headlight::window {

class Shell;

// All commands for this window at this moment. Each keeps a reference to `shell`.
std::vector<Palette::Command> palette_commands(Shell& shell);

}  // namespace headlight::window
