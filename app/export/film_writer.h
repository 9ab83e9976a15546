// Films as files, frame by frame: animated GIF (giflib) or animated PNG (libpng; exact colours). A frame that shows the same
// as the one before lengthens it; of others only what changed is stored. Only two frames are held at a time, besides the file.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "app/export/png_writer.h"
#include "engine/core/status.h"

namespace headlight::figures {

enum class FilmKind { gif, apng };
// By the name's ending, whatever its case: .gif, .png or .apng; none for another ending.
std::optional<FilmKind> film_kind(const std::filesystem::path& path);
// Why this build cannot write such films (unavailable, with what to install); ok if it can.
Status can_write(FilmKind kind);

struct FilmOptions {
  int width = 0, height = 0;  // pixels
  std::string title;
  std::string document;  // JSON to embed; empty: none (embedded.h reads it back)
  int colors = 255;      // GIF: at most so many in each frame, 2..255; one more is what shows the frame before
};

class FilmWriter {
 public:
  virtual ~FilmWriter() = default;
  // The next picture, shown for `seconds`; opaque, of the film's size. Errors: another size; a film beyond 1 GB.
  Status add(const Pixels& frame, double seconds);
  // The whole file. Errors: a film without a frame; what the library says.
  Result<std::string> finish();

  int frames() const { return frames_; }  // written so far, without the last

 protected:
  // A rectangle of a frame; pixels that stay as they were have alpha 0.
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

// Errors: an empty or too large picture, or can_write()'s.
Result<std::unique_ptr<FilmWriter>> make_film_writer(FilmKind kind, const FilmOptions& options);

// The two of them.
Result<std::unique_ptr<FilmWriter>> make_gif_writer(const FilmOptions& options);
Result<std::unique_ptr<FilmWriter>> make_apng_writer(const FilmOptions& options);

}  // namespace headlight::figures
