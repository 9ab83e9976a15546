// Animated GIF through giflib: each part has a palette of its own colours; unchanged pixels are transparent.
#include <algorithm>
#include <cmath>

#include "app/export/color_palette.h"
#include "app/export/film_writer.h"
#include "app/files/embedded.h"
#include "engine/core/base64.h"
#ifdef HEADLIGHT_GIF
#include <gif_lib.h>
#endif

namespace headlight::figures {

#ifndef HEADLIGHT_GIF

Result<std::unique_ptr<FilmWriter>> make_gif_writer(const FilmOptions&) { return can_write(FilmKind::gif).error(); }

#else
namespace {

using ColorMap = std::unique_ptr<ColorMapObject, void (*)(ColorMapObject*)>;

// The size of a GIF palette is a power of two; unused entries are black.
ColorMap color_map(const Indexed& image) {
  int size = 2;
  const int needed = static_cast<int>(image.palette.size()) + (image.has_transparent ? 1 : 0);
  while (size < needed) size *= 2;
  ColorMap map(GifMakeMapObject(size, nullptr), GifFreeMapObject);
  if (!map) return map;
  for (std::size_t i = 0; i < image.palette.size(); ++i) {
    const std::uint32_t c = image.palette[i];
    map->Colors[i] = {static_cast<GifByteType>(c >> 16), static_cast<GifByteType>(c >> 8 & 255),
                      static_cast<GifByteType>(c & 255)};
  }
  return map;
}

int append_gif(GifFileType* file, const GifByteType* bytes, int count) {
  static_cast<std::string*>(file->UserData)->append(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(count));
  return count;
}

class GifWriter final : public FilmWriter {
 public:
  explicit GifWriter(const FilmOptions& options) : FilmWriter(options) {}
  ~GifWriter() override {
    int ignored = 0;
    if (file_) EGifCloseFile(file_, &ignored);
  }

 private:
  std::size_t size() const override { return out_.size(); }

  Error failed() const {
    const char* why = GifErrorString(file_ ? file_->Error : E_GIF_ERR_NOT_ENOUGH_MEM);
    return failure(ErrorKind::io, "giflib could not write the film: {}", why ? why : "unknown");
  }

  Status start() {
    int problem = 0;
    file_ = EGifOpen(&out_, append_gif, &problem);
    if (!file_) return failed();
    EGifSetGifVersion(file_, true);
    if (EGifPutScreenDesc(file_, options_.width, options_.height, 8, 0, nullptr) == GIF_ERROR) return failed();
    // Endless repetition: the count follows a 1, little-endian, as in Netscape's extension.
    const GifByteType forever[] = {1, 0, 0};
    if (EGifPutExtensionLeader(file_, APPLICATION_EXT_FUNC_CODE) == GIF_ERROR ||
        EGifPutExtensionBlock(file_, 11, "NETSCAPE2.0") == GIF_ERROR || EGifPutExtensionBlock(file_, 3, forever) == GIF_ERROR ||
        EGifPutExtensionTrailer(file_) == GIF_ERROR)
      return failed();
    if (!options_.title.empty()) HL_TRY(comment(options_.title));
    if (!options_.document.empty()) HL_TRY(comment(kDocumentMark + to_base64(options_.document)));
    return {};
  }

  Status comment(const std::string& text) {
    if (EGifPutExtensionLeader(file_, COMMENT_EXT_FUNC_CODE) == GIF_ERROR) return failed();
    for (std::size_t at = 0; at < text.size(); at += 255)
      if (EGifPutExtensionBlock(file_, static_cast<int>(std::min<std::size_t>(255, text.size() - at)), text.data() + at) ==
          GIF_ERROR)
        return failed();
    if (EGifPutExtensionTrailer(file_) == GIF_ERROR) return failed();
    return {};
  }

  // In hundredths of a second, rounded so that the sum stays right. Programs slow down delays of less than two hundredths.
  int delay(double seconds) {
    time_ += seconds;
    const int hundredths = std::clamp(static_cast<int>(std::lround(time_ * 100)) - written_, 2, 65535);
    written_ += hundredths;
    return hundredths;
  }

  Status write(const Part& part) override {
    if (!file_) HL_TRY(start());
    Indexed image = to_palette(part.pixels, std::clamp(options_.colors, 2, 255));
    const ColorMap map = color_map(image);
    if (!map) return failed();
    GraphicsControlBlock control{};
    control.DisposalMode = DISPOSE_DO_NOT;
    control.DelayTime = delay(part.seconds);
    control.TransparentColor = image.has_transparent ? static_cast<int>(image.palette.size()) : NO_TRANSPARENT_COLOR;
    GifByteType packed[4];
    const std::size_t size = EGifGCBToExtension(&control, packed);
    if (EGifPutExtension(file_, GRAPHICS_EXT_FUNC_CODE, static_cast<int>(size), packed) == GIF_ERROR) return failed();
    if (EGifPutImageDesc(file_, part.x, part.y, part.pixels.width, part.pixels.height, false, map.get()) == GIF_ERROR)
      return failed();
    for (int y = 0; y < part.pixels.height; ++y) {
      GifPixelType* row = image.indices.data() + static_cast<std::size_t>(y) * static_cast<std::size_t>(part.pixels.width);
      if (EGifPutLine(file_, row, part.pixels.width) == GIF_ERROR) return failed();
    }
    return {};
  }

  Result<std::string> end() override {
    int problem = 0;
    const int closed = EGifCloseFile(file_, &problem);
    file_ = nullptr;
    if (closed == GIF_ERROR) return failed();
    return std::move(out_);
  }

  std::string out_;
  GifFileType* file_ = nullptr;
  double time_ = 0;
  int written_ = 0;
};

}  // namespace

Result<std::unique_ptr<FilmWriter>> make_gif_writer(const FilmOptions& options) {
  return std::unique_ptr<FilmWriter>(std::make_unique<GifWriter>(options));
}

#endif

}  // namespace headlight::figures
