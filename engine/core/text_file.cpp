#include "engine/core/text_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace headlight {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

// Whether bytes with `zeros` zero bytes, all at the places of high bytes, are UTF-16 rather than UTF-8 with some zero characters:
// half of the code units are ASCII; or an eighth are, and other bytes are none; or a word or a line ends between two units.
bool reads_as_utf16(std::string_view bytes, std::size_t zeros, bool little) {
  if (zeros == 0 || bytes.size() < 4) return false;
  if (zeros > 1 && 4 * zeros >= bytes.size() - 1) return true;
  const auto is_ascii = [](char c) { return c == '\0' || (c >= ' ' && c <= '~') || (c >= '\t' && c <= '\r'); };
  if (16 * zeros >= bytes.size() && !std::all_of(bytes.begin(), bytes.end(), is_ascii)) return true;
  for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
    const char low = bytes[little ? at : at + 1], high = bytes[little ? at + 1 : at];
    if (high == '\0' && (low == '\n' || low == ' ')) return true;
  }
  return false;
}

// The name by which iconv knows the encoding of the bytes; empty for UTF-8.
std::string_view other_encoding(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (bytes.starts_with("\xFF\xFE"sv) || bytes.starts_with("\xFE\xFF"sv)) return "UTF-16";
  // Without a mark: letters of ASCII, spaces and line ends have zero bytes, always at the same places.
  constexpr std::size_t kLooked = 1 << 16;
  const std::string_view looked = bytes.substr(0, kLooked);
  std::array<std::size_t, 4> zeros{};
  for (std::size_t i = 0; i < looked.size(); ++i) zeros[i % 4] += looked[i] == '\0';
  const std::size_t fours = looked.size() / 4;
  if (fours > 0 && zeros[0] == 0 && 2 * zeros[2] >= fours && zeros[3] >= fours) return "UTF-32LE";
  if (fours > 0 && zeros[3] == 0 && 2 * zeros[1] >= fours && zeros[0] >= fours) return "UTF-32BE";
  for (const bool little : {true, false}) {
    if (zeros[little ? 0 : 1] + zeros[little ? 2 : 3] > 0) continue;
    if (reads_as_utf16(looked, zeros[little ? 1 : 0] + zeros[little ? 3 : 2], little)) return little ? "UTF-16LE" : "UTF-16BE";
  }
  return {};
}

}  // namespace

std::string_view without_byte_order_mark(std::string_view text) {
  return text.starts_with(kMark) ? text.substr(kMark.size()) : text;
}

Result<std::string> text_from(std::string bytes, const std::string& where) {
  if (const std::string_view encoding = other_encoding(bytes); !encoding.empty())
    return invalid("this text is {}, and texts are read as UTF-8", encoding.substr(0, 6))
        .at(where)
        .mend("convert it first: iconv -f {} -t UTF-8 '{}' > utf8.txt", encoding, where);
  if (bytes.starts_with(kMark)) bytes.erase(0, kMark.size());
  return bytes;
}

Status refuse_pointer(std::string_view bytes, const std::string& where) {
  if (!bytes.starts_with("version https://git-lfs.github.com/spec/")) return {};
  std::uint64_t size = 0;
  if (const std::size_t at = bytes.find("\nsize "); at != std::string_view::npos)
    std::from_chars(bytes.data() + at + 6, bytes.data() + bytes.size(), size);
  return invalid("is a Git LFS pointer, which stands for a file of {} bytes that is not here", size)
      .at(where)
      .mend("fetch it with `git lfs pull`, or download the file itself");
}

Result<std::string> read_text_file(const std::filesystem::path& path, std::uint64_t limit) {
  HL_ASSIGN(std::string bytes, read_file(path, limit));
  HL_TRY(refuse_pointer(bytes, path.string()));
  return text_from(std::move(bytes), path.string());
}

Result<std::string> read_text_input(const std::string& name, std::uint64_t limit) {
  if (name != "-") return read_text_file(name, limit);
  HL_ASSIGN(std::string bytes, read_standard_input(limit));
  return text_from(std::move(bytes), "standard input");
}

std::vector<std::string> lines_of_text(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.emplace_back(line);
    text.remove_prefix(std::min(text.size(), end + 1));
  }
  return lines;
}

}  // namespace headlight
