#include "engine/tokenizers/files/format.h"

#include <algorithm>
#include <fstream>
#include <system_error>

namespace headlight::tokenizers {
namespace {

std::string beginning_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(kBeginning, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return bytes;
}

bool is_named(const FoundFile& found) {
  return std::ranges::find(found.format->names, found.file.filename().string()) != found.format->names.end();
}

}  // namespace

const Registry<FormatEntry>& format_registry() {
  static const Registry<FormatEntry> formats(
      "format", {headlight_format(), hugging_face_format(), gpt2_format(), bert_format(), tiktoken_format()});
  return formats;
}

FoundFile find_file(const std::filesystem::path& path) {
  std::error_code none;
  FoundFile first;
  const bool is_file = std::filesystem::is_regular_file(path, none);
  for (const FormatEntry& format : format_registry().entries()) {
    std::vector<std::filesystem::path> files;
    if (is_file) files.push_back(path);
    for (const std::string& name : format.names)
      if (!is_file && std::filesystem::is_regular_file(path / name, none)) files.push_back(path / name);
    for (const std::filesystem::path& file : files) {
      if (format.recognises(beginning_of(file))) return {&format, file};
      if (!first.format || (!is_named(first) && is_named({&format, file}))) first = {&format, file};
    }
  }
  return first;
}

}  // namespace headlight::tokenizers
