// Pixels as a PNG file in memory (libpng).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"

namespace headlight::figures {

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  // straight alpha, row by row; written without alpha where everything is opaque
};

struct PngText {
  int dpi = 0;  // 0: not said
  std::string title;
  std::string document;       // iTXt chunk "headlight", compressed
  bool always_alpha = false;  // with alpha even where everything is opaque
};

Result<std::string> encode_png(const Pixels& pixels, const PngText& text);

}  // namespace headlight::figures
