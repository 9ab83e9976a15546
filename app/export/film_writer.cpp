#include "app/export/film_writer.h"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace headlight::figures {
namespace {

constexpr int kMostSide = 16384;
constexpr std::int64_t kMostPixels = 64'000'000;
constexpr std::size_t kMostBytes = std::size_t{1} << 30;

struct Bounds {
  int x0 = 0, y0 = 0, x1 = 0, y1 = 0;  // x1 <= x0: empty
};

// The bounding box of the differences between two pictures of one size.
Bounds difference(const Pixels& a, const Pixels& b) {
  Bounds out{a.width, a.height, 0, 0};
  const auto row_bytes = static_cast<std::size_t>(a.width) * 4;
  for (int y = 0; y < a.height; ++y) {
    const std::uint8_t* p = a.rgba.data() + static_cast<std::size_t>(y) * row_bytes;
    const std::uint8_t* q = b.rgba.data() + static_cast<std::size_t>(y) * row_bytes;
    if (std::memcmp(p, q, row_bytes) == 0) continue;
    out.y0 = std::min(out.y0, y);
    out.y1 = y + 1;
    int first = 0, last = a.width - 1;
    while (std::memcmp(p + first * 4, q + first * 4, 4) == 0) ++first;
    while (std::memcmp(p + last * 4, q + last * 4, 4) == 0) --last;
    out.x0 = std::min(out.x0, first);
    out.x1 = std::max(out.x1, last + 1);
  }
  return out;
}

}  // namespace

std::optional<FilmKind> film_kind(const std::filesystem::path& path) {
  std::string ending = path.extension().string();
  std::transform(ending.begin(), ending.end(), ending.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (ending == ".gif") return FilmKind::gif;
  if (ending == ".png" || ending == ".apng") return FilmKind::apng;
  return {};
}

Status can_write(FilmKind kind) {
#ifndef HEADLIGHT_GIF
  if (kind == FilmKind::gif)
    return failure(ErrorKind::unavailable, "this build has no giflib, so it writes no GIF")
        .mend("install libgif-dev and build again, or choose animated PNG");
#endif
  (void)kind;
  return {};
}

Result<std::unique_ptr<FilmWriter>> make_film_writer(FilmKind kind, const FilmOptions& options) {
  HL_TRY(can_write(kind));
  if (options.width < 1 || options.height < 1) return invalid("the film's pictures are empty").mend("show something first");
  if (options.width > kMostSide || options.height > kMostSide ||
      static_cast<std::int64_t>(options.width) * options.height > kMostPixels) {
    return failure(ErrorKind::too_large, "pictures of {} x {} pixels are too large for a film", options.width, options.height)
        .mend("choose a smaller size");
  }
  return kind == FilmKind::gif ? make_gif_writer(options) : make_apng_writer(options);
}

Status FilmWriter::add(const Pixels& frame, double seconds) {
  const auto pixels = static_cast<std::size_t>(options_.width) * static_cast<std::size_t>(options_.height);
  if (frame.width != options_.width || frame.height != options_.height || frame.rgba.size() != pixels * 4) {
    return failure(ErrorKind::internal, "a picture of the film has another size than the first");
  }
  if (!waiting_) {
    waiting_ = Part{0, 0, frame, seconds};
    shown_ = frame;
    return {};
  }
  const Bounds changed = difference(shown_, frame);
  if (changed.x1 <= changed.x0) {
    waiting_->seconds += seconds;
    return {};
  }
  HL_TRY(write(*waiting_));
  ++frames_;
  if (size() > kMostBytes)
    return failure(ErrorKind::too_large, "the film would be larger than 1 GB").mend("choose a smaller size or fewer frames");
  Part part;
  part.x = changed.x0;
  part.y = changed.y0;
  part.seconds = seconds;
  part.pixels.width = changed.x1 - changed.x0;
  part.pixels.height = changed.y1 - changed.y0;
  part.pixels.rgba.resize(static_cast<std::size_t>(part.pixels.width) * static_cast<std::size_t>(part.pixels.height) * 4);
  std::uint8_t* out = part.pixels.rgba.data();
  for (int y = changed.y0; y < changed.y1; ++y) {
    const std::size_t row =
        (static_cast<std::size_t>(y) * static_cast<std::size_t>(frame.width) + static_cast<std::size_t>(changed.x0)) * 4;
    const std::uint8_t *now = frame.rgba.data() + row, *before = shown_.rgba.data() + row;
    for (int x = 0; x < part.pixels.width; ++x, now += 4, before += 4, out += 4) {
      if (std::memcmp(now, before, 4) == 0) continue;  // unchanged: resize() left the pixel transparent
      std::memcpy(out, now, 3);
      out[3] = 255;
    }
  }
  waiting_ = std::move(part);
  shown_ = frame;
  return {};
}

Result<std::string> FilmWriter::finish() {
  if (!waiting_) return invalid("the film has no frames").mend("show something first");
  HL_TRY(write(*waiting_));
  waiting_.reset();
  ++frames_;
  return end();
}

}  // namespace headlight::figures
