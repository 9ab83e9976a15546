// Files, read with a stated limit and written whole or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight {

// The whole file as bytes. Errors name the path and the system's reason; more than `limit` bytes is too_large.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{4} << 30);
// Standard input to its end, under the same limit.
Result<std::string> read_standard_input(std::uint64_t limit = std::uint64_t{1} << 30);

// Writes to a temporary name in the same folder, flushes to the disk, then renames: a reader sees the old file or the new
// one, and a full disk or a kill leaves the old one. A path that names a special file ("/dev/stdout") is written directly.
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// The folder that holds assets (vocabularies, sample corpus, icon): HEADLIGHT_ASSETS_DIR, else beside the binary's install
// prefix (../share/headlight), else the source tree it was built from. Error if none of them exists.
Result<std::filesystem::path> assets_folder();

}  // namespace headlight
