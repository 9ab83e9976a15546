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
// Ok if this build can write such films; else why not (unavailable, with what to install).
Status can_write(FilmKind kind);

struct FilmOptions {
  int width = 0, height = 0;  // pixels
  std::string title;
  std::string document;  // JSON to embed; empty: none (embedded.h reads it back)
  // GIF: at most this many in each frame, 2..255; one more is the transparent one that keeps the frame before
  int colors = 255;
};

class FilmWriter {
 public:
  virtual ~FilmWriter() = default;
  // Adds the next picture, shown for `seconds`; opaque, of the film's size. Errors: another size; a film beyond 1 GB.
  Status add(const Pixels& frame, double seconds);
  // Returns the whole file. Errors: a film without a frame; errors of the library.
  Result<std::string> finish();

  int frames() const { return frames_; }  // written so far, without the last one added

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

// Errors: an empty or too large picture, or those of can_write().
Result<std::unique_ptr<FilmWriter>> make_film_writer(FilmKind kind, const FilmOptions& options);

// The writers of the two kinds.
Result<std::unique_ptr<FilmWriter>> make_gif_writer(const FilmOptions& options);
Result<std::unique_ptr<FilmWriter>> make_apng_writer(const FilmOptions& options);

}  // namespace headlight::figures
