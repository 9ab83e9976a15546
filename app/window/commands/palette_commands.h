// What the command palette offers.
#pragma once

#include <vector>

#include "app/window/dialogs/command_palette.h"

namespace headlight::window {

class Shell;

// All of it for this window and this moment. Each command keeps a reference to `shell`.
std::vector<Palette::Command> palette_commands(Shell& shell);

}  // namespace headlight::window
