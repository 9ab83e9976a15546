// Pixels as a PNG file in memory (libpng).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/status.h"

namespace headlight::figures {

struct Pixels {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgba;  // [height, width, 4], straight alpha
};

struct PngText {
  int dpi = 0;  // 0: not stated in the file
  std::string title;
  std::string document;       // iTXt chunk "headlight", compressed
  bool always_alpha = false;  // write the alpha channel even if everything is opaque
};

// Returns the file's bytes; the file has no alpha channel if all pixels are opaque. Errors (too_large): libpng cannot pack the
// picture.
// encode_png({1, 1, {255, 0, 0, 255}}, {}) gives a PNG of one red pixel.
Result<std::string> encode_png(const Pixels& pixels, const PngText& text);

}  // namespace headlight::figures
