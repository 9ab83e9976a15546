// A film of figures as a file: frames are laid out, painted and encoded one after the other, so that only two are in memory.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/export/film_writer.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"

namespace headlight::figures {

struct FilmFileOptions {
  int dpi = 96;                          // pixels an inch, 24..600; 96 gives one pixel a point
  double speed = 1;                      // 2: twice as fast
  double last_seconds = 2;               // the last picture stays at least this many seconds before the film repeats
  std::string document;                  // JSON to embed; empty: none
  CancelToken cancel;                    // checked before each frame
  std::function<void(double)> progress;  // called with 0..1 before each frame; may be null
};

// Returns the file's bytes. A frame with cells that hold no finite number has a line below that counts them. If frames have
// different sizes, each gets the largest size and begins at the upper left. Errors: a film without frames, a dpi out of range,
// cancelled, those of rasterise() and of FilmWriter. encode_film(film, FilmKind::gif, theme, {.speed = 2}) gives a GIF that plays
// twice as fast.
Result<std::string> encode_film(const Animation& film, FilmKind kind, const Theme& theme, const FilmFileOptions& options);
// Writes the film into a file, completely or not at all; the kind follows from the name.
// save_film("steps.gif", film, theme, {}) writes an animated GIF.
Status save_film(const std::filesystem::path& path, const Animation& film, const Theme& theme, const FilmFileOptions& options);

}  // namespace headlight::figures
