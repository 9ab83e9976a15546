// A picture in few colours, for GIF: exact where it has few, otherwise the colours that lose least.
#pragma once

#include <cstdint>
#include <vector>

#include "app/export/png_writer.h"

namespace headlight::figures {

struct Indexed {
  std::vector<std::uint32_t> palette;  // 0xRRGGBB, 1..most colours
  std::vector<std::uint8_t> indices;   // a pixel each; transparent ones (alpha 0) get palette.size()
  bool has_transparent = false;
};

// `most` colours, 2..255. Boxes of colours are cut where their variance is largest (Wu 1991 in the plain form: the box with the
// largest squared error, along its widest axis, at its mean); a box that one colour fills by more than half becomes that colour,
// so that grounds and text keep theirs exactly.
Indexed to_palette(const Pixels& pixels, int most);

}  // namespace headlight::figures
