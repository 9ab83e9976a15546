// Reduces a picture to few colours, for GIF: exactly if it has few, otherwise with little error.
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

// At most `most` colours, 2..255. Boxes of colours are split where their variance is largest (a plain form of Wu 1991: the box
// with the largest squared error is split along its widest axis, at its mean). A box that is more than half one colour becomes
// that colour, so that backgrounds and text keep theirs exactly.
Indexed to_palette(const Pixels& pixels, int most);

}  // namespace headlight::figures
