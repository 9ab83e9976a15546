// tokenizer.json, our own format: described in assets/vocabularies/README.md.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/status.h"
#include "engine/text/normalizers/normalize.h"
#include "engine/text/splitters/pre_tokenize.h"

namespace headlight::tokenizers {

struct TokenizerFile {
  std::string kind;      // "characters", "words", "bpe", "wordpiece"
  std::string alphabet;  // "bytes" or "corpus"; empty for words
  text::PreTokenizer pre_tokenizer = text::PreTokenizer::words;
  std::vector<text::Normalizer> normalizers;
  std::vector<std::string> vocabulary;                      // the index is the id
  std::vector<std::pair<std::string, std::string>> merges;  // BPE, in order of rank
};

// `folder` or the tokenizer.json inside it. Errors name the file and the field; a kind other than `kind` is one.
Result<TokenizerFile> read_tokenizer_file(const std::filesystem::path& folder, const std::string& kind);
// The "kind" field alone.
Result<std::string> read_tokenizer_kind(const std::filesystem::path& folder);
Status write_tokenizer_file(const std::filesystem::path& folder, const TokenizerFile& file);

}  // namespace headlight::tokenizers
