#include "engine/images/png_picture.h"

#include <cstddef>
#include <cstring>

#include "engine/core/files.h"
#include "engine/core/text_file.h"
#ifdef HEADLIGHT_PNG
#include <png.h>
#endif

namespace headlight::images {
namespace {

constexpr std::string_view kSignature("\x89PNG\r\n\x1a\n", 8);
// Signature, length and name of the first chunk, IHDR, whose first two numbers are width and height (PNG specification, 11.2.2).
constexpr std::size_t kWidthAt = 16, kHeightAt = 20, kSizesEnd = 24;
constexpr std::uint64_t kMostBytes = std::uint64_t{128} << 20;

std::int64_t big_endian(std::string_view bytes, std::size_t at) {
  std::int64_t value = 0;
  for (std::size_t i = 0; i < 4; ++i) value = value * 256 + static_cast<unsigned char>(bytes[at + i]);
  return value;
}

Status check_header(std::string_view bytes, const std::string& where) {
  HL_TRY(refuse_pointer(bytes, where));
  if (!bytes.starts_with(kSignature)) return invalid("this is no PNG file").at(where).mend("convert the picture to PNG");
  if (bytes.size() < kSizesEnd || bytes.substr(12, 4) != "IHDR")
    return invalid("this PNG file is broken").at(where).mend("save the picture again");
  const std::int64_t width = big_endian(bytes, kWidthAt), height = big_endian(bytes, kHeightAt);
  const std::string sides = std::to_string(width) + " x " + std::to_string(height);
  if (width == 0 || height == 0) return invalid("the picture has no pixels: {}", sides).at(where).mend("save the picture again");
  if (width > kLargestSide || height > kLargestSide)
    return failure(ErrorKind::too_large, "the picture has {} pixels", sides)
        .at(where)
        .mend("scale it to at most {} a side", kLargestSide);
  return {};
}

}  // namespace

#ifdef HEADLIGHT_PNG
Result<Picture> decode_png(std::string_view bytes, const std::string& where) {
  HL_TRY(check_header(bytes, where));
  png_image image;
  std::memset(&image, 0, sizeof image);
  image.version = PNG_IMAGE_VERSION;
  const auto broken = [&] {
    png_image_free(&image);
    return invalid("this PNG file is broken").at(where).mend("save the picture again");
  };
  if (!png_image_begin_read_from_memory(&image, bytes.data(), bytes.size())) return broken();
  Picture picture;
  picture.width = image.width;
  picture.height = image.height;
  picture.had_alpha = (image.format & PNG_FORMAT_FLAG_ALPHA) != 0;
  // Without a chunk that says otherwise 16 bits are sRGB as 8 are, not linear light.
  image.flags |= PNG_IMAGE_FLAG_16BIT_sRGB;
  image.format = PNG_FORMAT_RGBA;
  std::vector<std::uint8_t> rgba(PNG_IMAGE_SIZE(image));
  if (!png_image_finish_read(&image, nullptr, rgba.data(), 0, nullptr)) return broken();
  picture.rgb.resize(rgba.size() / 4 * 3);
  for (std::size_t i = 0; i < rgba.size() / 4; ++i)
    for (std::size_t c = 0; c < 3; ++c) {
      const unsigned alpha = rgba[4 * i + 3], over_white = rgba[4 * i + c] * alpha + 255 * (255 - alpha);
      picture.rgb[3 * i + c] = static_cast<std::uint8_t>((over_white + 127) / 255);
    }
  return picture;
}
#else
Result<Picture> decode_png(std::string_view bytes, const std::string& where) {
  HL_TRY(check_header(bytes, where));
  return failure(ErrorKind::unavailable, "this build reads no PNG files").at(where).mend("install libpng-dev and build again");
}
#endif

Result<Picture> read_png(const std::filesystem::path& path) {
  HL_ASSIGN(const std::string bytes, read_file(path, kMostBytes));
  return decode_png(bytes, path.string());
}

Result<Picture> bundled_picture() {
  HL_ASSIGN(const std::filesystem::path assets, assets_folder());
  return read_png(assets / "pictures" / "lake.png");
}

}  // namespace headlight::images
