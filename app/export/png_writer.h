// Pixels as a PNG file in memory (libpng).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"

namespace headlight::figures {

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  // straight alpha, row by row; if everything is opaque the file has no alpha channel
};

struct PngText {
  int dpi = 0;  // 0: not stated in the file
  std::string title;
  std::string document;       // iTXt chunk "headlight", compressed
  bool always_alpha = false;  // write the alpha channel even if everything is opaque
};

Result<std::string> encode_png(const Pixels& pixels, const PngText& text);

}  // namespace headlight::figures
