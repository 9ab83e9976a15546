#include "engine/tokenizers/files/format.h"

#include <algorithm>
#include <fstream>
#include <system_error>

#include "engine/checkpoints/checkpoint_files.h"
#include "engine/core/foreign_file.h"
#include "engine/core/text_file.h"

namespace headlight::tokenizers {
namespace {

std::string beginning_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::string bytes(kBeginning, '\0');
  in.read(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  bytes.resize(static_cast<std::size_t>(in.gcount()));
  return std::string(without_byte_order_mark(bytes));
}

bool is_named(const FoundFile& found) {
  return std::ranges::find(found.format->names, found.file.filename().string()) != found.format->names.end();
}

}  // namespace

const Registry<FormatEntry>& format_registry() {
  static const Registry<FormatEntry> formats("format", {headlight_format(), hugging_face_format(), gpt2_format(), bert_format(),
                                                        tiktoken_format(), gguf_format(), sentencepiece_format()});
  return formats;
}

FoundFile find_file(const std::filesystem::path& path) {
  std::error_code none;
  FoundFile first;
  if (const FormatEntry* const ranks = format_registry().find("tiktoken"); pattern_said(path)) return {ranks, path, true};
  const bool is_file = std::filesystem::is_regular_file(path, none);
  for (const FormatEntry& format : format_registry().entries()) {
    std::vector<std::filesystem::path> files;
    if (is_file) files.push_back(path);
    for (const std::string& name : format.names)
      if (!is_file && std::filesystem::is_regular_file(path / name, none)) files.push_back(path / name);
    for (const std::filesystem::path& file : files) {
      if (format.recognises(beginning_of(file))) return {&format, file, true};
      if (!first.format || (!is_named(first) && is_named({&format, file}))) first = {&format, file};
    }
  }
  if (!first.format && std::filesystem::is_directory(path, none))
    if (const auto model = checkpoints::checkpoint_files(path); model && model->gguf)
      return {format_registry().find("gguf"), model->files.front(), true};
  // Of JSON with no name of a tokenizer's, the format of most of them says what it seems to be.
  if (is_file && !is_named(first) && beginning_of(path).starts_with('{')) first.format = format_registry().find("hugging_face");
  return first;
}

Status check_may_be_tokenizer(const FoundFile& found) {
  if (found.recognised) return {};
  const std::string where = found.file.string(), beginning = beginning_of(found.file);
  const bool named = is_named(found);
  // A file with the right name may still be a pointer, a web page or packed; what looks like a table may be its pieces.
  if (const auto foreign = foreign_file(beginning, where, {}); foreign && !foreign->plain && foreign->convert.empty())
    return invalid("{}, and a tokenizer is wanted", foreign->what).at(where).mend(foreign->mend);
  if (named) return {};
  HL_TRY(text_from(beginning, where));
  const std::size_t first = beginning.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && beginning[first] == '{') return {};  // the format says what JSON of its kind lacks
  return invalid("this is no file of a tokenizer that is read here")
      .at(where)
      .mend(
          "give a headlight-tokenizer.json, or a published tokenizer.json, vocab.json and merges.txt, vocab.txt, .tiktoken or "
          ".model");
}

}  // namespace headlight::tokenizers
