// The sequential colour maps as 256 colours each, made by make_colormap_tables.py.
#pragma once

#include <array>
#include <cstdint>

namespace headlight::figures {

using ColormapTable = std::array<std::uint32_t, 256>;  // 0xRRGGBB from the lowest value to the highest
extern const ColormapTable kViridis, kMagma, kCividis;

}  // namespace headlight::figures
