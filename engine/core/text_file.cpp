#include "engine/core/text_file.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstddef>

namespace headlight {
namespace {

constexpr std::string_view kMark = "\xEF\xBB\xBF";

// The name by which iconv knows the encoding of the bytes; empty for UTF-8.
std::string_view other_encoding(std::string_view bytes) {
  using namespace std::string_view_literals;
  if (bytes.starts_with("\xFF\xFE\0\0"sv) || bytes.starts_with("\0\0\xFE\xFF"sv)) return "UTF-32";
  if (bytes.starts_with("\xFF\xFE"sv) || bytes.starts_with("\xFE\xFF"sv)) return "UTF-16";
  // Without a mark: letters of ASCII, spaces and line ends have a zero byte each, always on the same side.
  constexpr std::size_t kLooked = 1 << 16;
  if (bytes.size() % 2 != 0) return {};
  const std::string_view looked = bytes.substr(0, kLooked);
  std::array<std::size_t, 2> zeros{};
  for (std::size_t i = 0; i < looked.size(); ++i) zeros[i % 2] += looked[i] == '\0';
  const std::size_t enough = std::max<std::size_t>(3, looked.size() / 16);  // an eighth of the code units
  if (zeros[0] == 0 && zeros[1] >= enough) return "UTF-16LE";
  if (zeros[1] == 0 && zeros[0] >= enough) return "UTF-16BE";
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
