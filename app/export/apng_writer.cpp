// Animated PNG: libpng encodes each part as a picture of its own. The chunks are then assembled as the PNG specification's third
// edition (W3C 2025, 11.3.6) prescribes: acTL, then fcTL before the data of each frame, which is IDAT for the first and fdAT for
// the others. Programs that do not know animation show the first frame.
#include <zlib.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "app/export/film_writer.h"

namespace headlight::figures {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);

std::string big_endian(std::uint32_t n, int bytes = 4) {
  std::string out;
  for (int i = bytes - 1; i >= 0; --i) out += static_cast<char>(n >> (8 * i) & 255);
  return out;
}
std::uint32_t number_at(std::string_view bytes, std::size_t at) {
  std::uint32_t n = 0;
  for (std::size_t i = 0; i < 4; ++i) n = n << 8 | static_cast<unsigned char>(bytes[at + i]);
  return n;
}

std::string chunk(std::string_view type, std::string_view data) {
  std::string out = big_endian(static_cast<std::uint32_t>(data.size()));
  out += type;
  out += data;
  const auto crc =
      static_cast<std::uint32_t>(crc32_z(0, reinterpret_cast<const Bytef*>(out.data() + 4), data.size() + type.size()));
  return out + big_endian(crc);
}

class ApngWriter final : public FilmWriter {
 public:
  explicit ApngWriter(const FilmOptions& options) : FilmWriter(options) {}

 private:
  std::size_t size() const override { return head_.size() + frames_.size(); }

  std::string control(const Part& part) {
    std::string data = big_endian(sequence_++);
    data +=
        big_endian(static_cast<std::uint32_t>(part.pixels.width)) + big_endian(static_cast<std::uint32_t>(part.pixels.height));
    data += big_endian(static_cast<std::uint32_t>(part.x)) + big_endian(static_cast<std::uint32_t>(part.y));
    // The delay is a fraction of two 16-bit numbers: in milliseconds or, beyond a minute, in hundredths of a second.
    const int unit = part.seconds < 65 ? 1000 : 100;
    data += big_endian(static_cast<std::uint32_t>(std::clamp(std::lround(part.seconds * unit), 1L, 65535L)), 2);
    data += big_endian(static_cast<std::uint32_t>(unit), 2);
    data += '\0';                       // the previous content stays
    data += count_ == 0 ? '\0' : '\1';  // the first frame replaces the content, later ones are drawn over it
    return chunk("fcTL", data);
  }

  Status write(const Part& part) override {
    PngText text;
    if (count_ == 0) {
      text.title = options_.title;
      text.document = options_.document;
    }
    text.always_alpha = true;
    HL_ASSIGN(const std::string png, encode_png(part.pixels, text));
    bool control_written = false;
    for (std::size_t at = kSignature.size(); at + 12 <= png.size();) {
      const std::size_t length = number_at(png, at), whole = length + 12;
      const std::string_view type = std::string_view(png).substr(at + 4, 4), data = std::string_view(png).substr(at + 8, length);
      if (type == "IDAT") {
        if (!control_written) frames_ += control(part);
        control_written = true;
        if (count_ == 0)
          frames_ += std::string_view(png).substr(at, whole);
        else
          frames_ += chunk("fdAT", big_endian(sequence_++) + std::string(data));
      } else if (count_ == 0 && type != "IEND") {
        head_ += std::string_view(png).substr(at, whole);  // IHDR, colour space, texts
      }
      at += whole;
    }
    ++count_;
    return {};
  }

  Result<std::string> end() override {
    // IHDR takes 25 bytes; acTL follows it: the number of frames, and 0 for endless repetition.
    const std::string animation = chunk("acTL", big_endian(count_) + big_endian(0));
    return std::string(kSignature) + head_.substr(0, 25) + animation + head_.substr(25) + frames_ + chunk("IEND", {});
  }

  std::string head_, frames_;
  std::uint32_t sequence_ = 0, count_ = 0;
};

}  // namespace

Result<std::unique_ptr<FilmWriter>> make_apng_writer(const FilmOptions& options) {
  return std::unique_ptr<FilmWriter>(std::make_unique<ApngWriter>(options));
}

}  // namespace headlight::figures
