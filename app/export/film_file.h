// A film of figures as a file: frames are laid out, painted and packed one after the other, so that memory stays that of two.
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
  int dpi = 96;                          // 96: one pixel a point
  double speed = 1;                      // 2: twice as fast
  double last_seconds = 2;               // the last picture stays at least so long, before the film begins again
  std::string document;                  // JSON to embed; empty: none
  CancelToken cancel;                    // looked at before each frame
  std::function<void(double)> progress;  // 0..1, before each frame; may be null
};

// The file's bytes. Frames of different sizes get the largest one's, from the upper left. Errors: a film without frames,
// cancelled, rasterise()'s and the writer's.
Result<std::string> encode_film(const Animation& film, FilmKind kind, const Theme& theme, const FilmFileOptions& options);
// The same into a file, whole or not at all; the kind follows from the name.
Status save_film(const std::filesystem::path& path, const Animation& film, const Theme& theme, const FilmFileOptions& options);

}  // namespace headlight::figures
