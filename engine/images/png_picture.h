// Picture: the pixels of a PNG file, three numbers each. libpng reads every kind of PNG: 1 to 16 bits, palette, grey, alpha,
// interlaced.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight::images {

// The most pixels that a side of a picture may have.
inline constexpr std::int64_t kLargestSide = 4096;

struct Picture {
  std::int64_t width = 0, height = 0;
  std::vector<std::uint8_t> rgb;  // [height, width, 3], sRGB
  bool had_alpha = false;         // the file has an alpha channel: its transparent pixels are laid over white
};

// Errors name `where`: no PNG, or a broken one (invalid); a side of 0 pixels (invalid) or above kLargestSide (too_large), found
// before anything is allocated; a build without libpng (unavailable). decode_png(bytes, "lake.png"): errors name lake.png.
Result<Picture> decode_png(std::string_view bytes, const std::string& where);
Result<Picture> read_png(const std::filesystem::path& path);
// assets/pictures/lake.png, which make_lake.py beside it paints.
Result<Picture> bundled_picture();

}  // namespace headlight::images
