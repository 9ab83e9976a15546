// The window without a person: pictures of every tab, drawn off screen, and times of frames and keystrokes in a real window.
#pragma once

#include "app/cli/window_hooks.h"
#include "engine/core/status.h"

namespace headlight::window {

// Writes folder/NAME.png for every tab and prints the file names on stdout. Returns the exit status.
int run_tour(const cli::TourOptions& options);

// Times an empty window and every tab with a sandbox document of the given size.
Result<std::vector<cli::FrameTiming>> bench_frame(const cli::FrameBenchOptions& options);
// Types into the sentence of a real window. Returns the seconds from each keystroke to the frame with its trace on the screen.
Result<std::vector<double>> bench_picture(const cli::PictureBenchOptions& options);
// The times of letters for `headlight bench keystroke`: see WindowHooks::bench_echo.
Result<std::vector<double>> bench_echo(const cli::PictureBenchOptions& options);

}  // namespace headlight::window
