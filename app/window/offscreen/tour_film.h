// The tour as a film: the real window during a minute of typing, stepping and pointing, with a caption below.
#pragma once

#include "app/cli/window_hooks.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight::window {

// Writes options.film (GIF or animated PNG). Tabs that this build lacks are left out. Errors: no display; those of writing films.
// film_tour(options, cancel) writes options.film_rate pictures per second.
Status film_tour(const cli::TourOptions& options, const CancelToken& cancel);

}  // namespace headlight::window
