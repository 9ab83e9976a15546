// A lesson as a handout: one HTML file without scripts or a PDF of pages to print, with each step's text, its live numbers and
// its picture, and the answers at the end.
#pragma once

#include "app/cli/window_hooks.h"
#include "engine/core/status.h"

namespace headlight::window {

// Errors: (not_found) no such lesson; those of computing a step and of writing the file; cancelled.
// write_handout({"masks", "masks.html", "en", "1.0", cancel})
Status write_handout(const cli::HandoutOptions& options);

}  // namespace headlight::window
