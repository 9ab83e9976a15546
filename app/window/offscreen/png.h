// RGBA pixels as a PNG file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "engine/core/status.h"

namespace headlight::window {

Status write_png(const std::filesystem::path& path, const std::vector<std::uint8_t>& rgba, int width, int height);

}  // namespace headlight::window
