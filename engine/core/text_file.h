// Texts from files and from standard input. They are UTF-8; the byte order mark that some editors write before a text is no part
// of it. Every reader of a text goes through here, so that the same file means the same everywhere.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/files.h"
#include "engine/core/status.h"

namespace headlight {

// Without the byte order mark of UTF-8 at its beginning, if it has one.
std::string_view without_byte_order_mark(std::string_view text);

// The text in `bytes`, which come from `where`: without a byte order mark, else as they are. Error: UTF-16 or UTF-32, with the
// command that converts it. Without a mark these are known by their zero bytes, which stand at every second place at most.
// text_from("\xEF\xBB\xBF" "a b", "notes.txt") gives "a b".
Result<std::string> text_from(std::string bytes, const std::string& where);

// Error: the bytes are a Git LFS pointer, a small text that a repository holds in place of a large file.
// refuse_pointer(bytes, "model.safetensors") says how large the file itself is, and how to get it.
Status refuse_pointer(std::string_view bytes, const std::string& where);

// The text of a file. Errors: read_file's, text_from's and refuse_pointer's.
Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t limit = std::uint64_t{4} << 30);
// The same, where "-" names standard input.
Result<std::string> read_text_input(const std::string& name, std::uint64_t limit = std::uint64_t{4} << 30);

// The lines of a text, without their ends ("\n" or "\r\n"). An empty last line does not count.
std::vector<std::string> lines_of_text(std::string_view text);

}  // namespace headlight
