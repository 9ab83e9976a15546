// Frames off screen: a picture of every tab, and how long a frame takes.
#pragma once

#include "app/cli/window_hooks.h"
#include "engine/core/status.h"

namespace headlight::window {

// Writes folder/NAME.png for every tab, and prints the files on stdout. Returns the exit status.
int run_tour(const cli::TourOptions& options);

// Times an empty window and every tab on a sandbox document of the given size.
Result<std::vector<cli::FrameTiming>> bench_frame(const cli::FrameBenchOptions& options);

}  // namespace headlight::window
