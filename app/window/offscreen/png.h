// RGBA pixels as a PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/core/status.h"

namespace headlight::window {

// `rgba` has four bytes a pixel, rows from the top. Error: the file cannot be written.
// write_png("dot.png", {255, 0, 0, 255}, 1, 1) writes one red pixel.
Status write_png(const std::filesystem::path& path, const std::vector<std::uint8_t>& rgba, int width, int height);

}  // namespace headlight::window
