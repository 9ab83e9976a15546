// Pictures of views without a window, for the command line.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "app/cli/window_hooks.h"
#include "engine/core/status.h"

namespace headlight::window {

// The names and labels of all views' pictures, in the rail's order.
std::vector<std::pair<std::string, std::string>> view_pictures();
Status write_view_picture(const cli::PictureOptions& options);

}  // namespace headlight::window
