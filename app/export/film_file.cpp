#include "app/export/film_file.h"

#include <algorithm>
#include <cmath>
#include <new>

#include "app/export/figure_text.h"
#include "app/export/raster.h"
#include "app/figures/base/legend.h"
#include "engine/core/files.h"

namespace headlight::figures {
namespace {

Result<std::string> encode(const Animation& film, FilmKind kind, const Theme& theme, const FilmFileOptions& options) {
  const FigureText measure;
  const auto frame_of = [&](int i) { return with_counted_cells(film.frame(i, measure), theme, measure); };
  const auto report = [&](double share) -> Status {
    if (options.progress) options.progress(share);
    return options.cancel.cancelled() ? Status(cancelled()) : Status();
  };
  // A first round lays out every frame to find the size that holds all of them; this is cheap compared with painting.
  constexpr double kLayout = 0.1;  // share of the whole time, about
  float width = 0, height = 0;
  for (int i = 0; i < film.frames; ++i) {
    HL_TRY(report(kLayout * i / film.frames));
    const Figure figure = frame_of(i);
    width = std::max(width, figure.width);
    height = std::max(height, figure.height);
  }
  const double scale = options.dpi / 96.0;
  FilmOptions shape;
  shape.width = static_cast<int>(std::ceil(static_cast<double>(width) * scale));
  shape.height = static_cast<int>(std::ceil(static_cast<double>(height) * scale));
  shape.title = printable(film.title);
  shape.document = options.document;
  HL_ASSIGN(const std::unique_ptr<FilmWriter> writer, make_film_writer(kind, shape));
  const double seconds = film.seconds_per_frame / std::max(options.speed, 1e-3);
  for (int i = 0; i < film.frames; ++i) {
    HL_TRY(report(kLayout + (1 - kLayout) * i / film.frames));
    HL_ASSIGN(const Pixels pixels, rasterise(frame_of(i), theme, options.dpi, shape.width, shape.height));
    HL_TRY(writer->add(pixels, i + 1 < film.frames ? seconds : std::max(seconds, options.last_seconds)));
  }
  return writer->finish();
}

}  // namespace

Result<std::string> encode_film(const Animation& film, FilmKind kind, const Theme& theme, const FilmFileOptions& options) {
  HL_TRY(can_write(kind));
  if (film.frames < 1 || !film.frame) return invalid("the film has no frames").mend("show something first");
  if (options.dpi < 24 || options.dpi > 600)
    return usage_error("the resolution {} is out of range for a film", options.dpi).mend("give a number from 24 to 600");
  try {
    return encode(film, kind, theme, options);
  } catch (const std::bad_alloc&) {
    return failure(ErrorKind::too_large, "the film does not fit in memory").mend("choose a smaller size");
  }
}

Status save_film(const std::filesystem::path& path, const Animation& film, const Theme& theme, const FilmFileOptions& options) {
  const std::optional<FilmKind> kind = film_kind(path);
  if (!kind) return usage_error("the ending of the name says no kind of film").at(path.string()).mend("end it with .gif or .png");
  HL_ASSIGN(const std::string bytes, encode_film(film, *kind, theme, options));
  return write_file(path, bytes);
}

}  // namespace headlight::figures
