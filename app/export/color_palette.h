// Reduces a picture to few colours, for GIF. A picture that has few colours keeps them exactly; any other picture changes little.
#pragma once

#include <cstdint>
#include <vector>

#include "app/export/png_writer.h"

namespace headlight::figures {

struct Indexed {
  std::vector<std::uint32_t> palette;  // 0xRRGGBB, 1..most colours
  std::vector<std::uint8_t> indices;   // one per pixel; transparent pixels (alpha 0) get palette.size()
  bool has_transparent = false;
};

// Finds a palette of at most `most` colours (2..255) and each pixel's index in it. Boxes of colours are split where their
// variance is largest (a plain form of Wu 1991: the box with the largest squared error is split at its mean, along the axis with
// the largest part of that error). A box that is more than half one colour becomes that colour, so that backgrounds and text keep
// theirs exactly.
// to_palette(pixels, 255) of a picture in 8 opaque colours gives these 8 colours and no transparent pixel.
Indexed to_palette(const Pixels& pixels, int most);

}  // namespace headlight::figures
