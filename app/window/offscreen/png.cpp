#include "app/window/offscreen/png.h"

#include <png.h>

#include "engine/core/files.h"

namespace headlight::window {

Status write_png(const std::filesystem::path& path, const std::vector<std::uint8_t>& rgba, int width, int height) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(width);
  image.height = static_cast<png_uint_32>(height);
  image.format = PNG_FORMAT_RGBA;
  png_alloc_size_t size = 0;
  if (!png_image_write_to_memory(&image, nullptr, &size, 0, rgba.data(), 0, nullptr))
    return failure(ErrorKind::internal, "the picture cannot be packed: {}", image.message).at(path.string());
  std::string bytes(size, '\0');
  if (!png_image_write_to_memory(&image, bytes.data(), &size, 0, rgba.data(), 0, nullptr))
    return failure(ErrorKind::internal, "the picture cannot be packed: {}", image.message).at(path.string());
  bytes.resize(size);
  return write_file(path, bytes);
}

}  // namespace headlight::window
