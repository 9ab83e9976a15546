// Names of pictures of kinds that are not written.
#pragma once

#include <filesystem>

#include "engine/core/status.h"

namespace headlight {

// Error (usage): the name ends as a picture of another kind than .png, .svg and .pdf; the error has the name to use instead.
// check_picture_name("map.jpg") says to use map.png; "map.png" and "map.csv" are no error.
Status check_picture_name(const std::filesystem::path& path);

}  // namespace headlight
