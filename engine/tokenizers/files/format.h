// The registry of file formats from which a tokenizer can be opened. One file a format.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/registry.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

struct FormatEntry {
  std::string id, label, formula, source;
  std::vector<std::string> names;                            // file names in a tokenizer's folder, the preferred one first
  bool (*recognises)(std::string_view beginning) = nullptr;  // by the first bytes of a file, at most kBeginning
  Result<std::shared_ptr<const Tokenizer>> (*load)(const std::filesystem::path& file) = nullptr;  // errors name the file
};
inline constexpr std::size_t kBeginning = 4096;

const Registry<FormatEntry>& format_registry();

// A tokenizer's file, and the format that reads it.
struct FoundFile {
  const FormatEntry* format = nullptr;  // null: there is none
  std::filesystem::path file;
  bool recognised = false;  // by its first bytes
};
// The file of the tokenizer in `path`, a folder or a file. A folder without any has that of its one .gguf. The first format that
// recognises the beginning of a file is taken, else the first that has the file's name, else the first.
FoundFile find_file(const std::filesystem::path& path);
// The file of the tokenizer `name` (open.h). Error: there is no such tokenizer, with those that there are.
Result<FoundFile> file_of(const std::string& name);
// An error if the file is neither recognised nor named as a tokenizer's, or is no text at all: what it is, if that is known, and
// what to give instead.
Status check_may_be_tokenizer(const FoundFile& found);

// Whether a path is a file of tiktoken's ranks with the name of its pattern behind a colon: "mine.tiktoken:cl100k".
bool pattern_said(const std::filesystem::path& path);

// The entries, each in its own file.
FormatEntry headlight_format();
FormatEntry hugging_face_format();
FormatEntry gpt2_format();
FormatEntry bert_format();
FormatEntry tiktoken_format();
FormatEntry gguf_format();
FormatEntry sentencepiece_format();

}  // namespace headlight::tokenizers
