// Films as files, frame by frame: animated GIF (giflib) or animated PNG (libpng; exact colours). A frame equal to the one before
// only lengthens it; of other frames only the changed part is stored. Besides the file, only two frames are held in memory.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/export/png_writer.h"
#include "engine/core/status.h"

namespace headlight::figures {

enum class FilmKind { gif, apng };
// The kind named by the file's ending, in upper or lower case: .gif, .png or .apng; none for other endings.
std::optional<FilmKind> film_kind(const std::filesystem::path& path);
// Ok if this build can write films of this kind. The error (unavailable) names the package to install.
Status can_write(FilmKind kind);

struct FilmOptions {
  int width = 0, height = 0;  // pixels
  std::string title;
  std::string document;  // JSON to embed; empty: none (embedded.h reads it back)
  // GIF: at most this many colours in each frame, 2..255. One more colour is transparent and keeps the frame before
  int colors = 255;
};

class FilmWriter {
 public:
  virtual ~FilmWriter() = default;
  // Adds the next picture, which is opaque and has the film's size, for `seconds`. Errors: (internal) another size; (too_large) a
  // film beyond 1 GB. add(pixels, 0.1) shows `pixels` for a tenth of a second.
  Status add(const Pixels& frame, double seconds);
  // Returns the whole file. Errors: a film without a frame; errors of the library.
  Result<std::string> finish();

  int frames() const { return frames_; }  // number of frames written so far; the last added frame is written by the next call

 protected:
  // A rectangle of a frame; unchanged pixels have alpha 0.
  struct Part {
    int x = 0, y = 0;
    Pixels pixels;
    double seconds = 0;
  };
  explicit FilmWriter(const FilmOptions& options) : options_(options) {}
  virtual Status write(const Part& part) = 0;
  virtual Result<std::string> end() = 0;
  virtual std::size_t size() const = 0;  // bytes so far
  const FilmOptions options_;

 private:
  std::optional<Part> waiting_;
  Pixels shown_;
  int frames_ = 0;
};

// A writer of films. Errors: an empty picture; a side above 16,384 pixels, more than 64 million pixels; those of can_write().
// make_film_writer(FilmKind::apng, {.width = 640, .height = 480}) gives a writer for frames of 640 x 480 pixels.
Result<std::unique_ptr<FilmWriter>> make_film_writer(FilmKind kind, const FilmOptions& options);

// The writers of the two kinds, for make_film_writer(). make_apng_writer(options) gives the writer of an animated PNG.
Result<std::unique_ptr<FilmWriter>> make_gif_writer(const FilmOptions& options);
Result<std::unique_ptr<FilmWriter>> make_apng_writer(const FilmOptions& options);

}  // namespace headlight::figures
