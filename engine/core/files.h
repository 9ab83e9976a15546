// Files: reading with a size limit, and writing a file completely or not at all.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "engine/core/status.h"

namespace headlight {

// The whole file as bytes. Errors name the path and the system's reason; more than `limit` bytes is too_large.
// read_file("notes.txt", 1024) gives at most 1024 bytes, or the error too_large.
Result<std::string> read_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{4} << 30);
// Reads standard input to its end; more than `limit` bytes is too_large.
Result<std::string> read_standard_input(std::uint64_t limit = std::uint64_t{1} << 30);

// Writes to a temporary name in the same folder, flushes to the disk, then renames. A reader sees the old file or the new one;
// after a full disk or a kill the old one is still there. A path that names a special file ("/dev/stdout") is written directly.
// write_file("notes.txt", "a b") makes or replaces notes.txt, whose content is then "a b".
Status write_file(const std::filesystem::path& path, std::string_view bytes);

// The folder of the assets (vocabularies, sample corpus, icon): HEADLIGHT_ASSETS_DIR if it is set, else ../share/headlight beside
// the installed binary, else the source tree the program was built from. Error if none of them exists.
Result<std::filesystem::path> assets_folder();

}  // namespace headlight
