// headlight-tokenizer.json: our own format, described in assets/vocabularies/README.md. Older folders hold the same format as
// tokenizer.json, which is read as well.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

inline constexpr const char* kTokenizerFile = "headlight-tokenizer.json";
inline constexpr const char* kOldTokenizerFile = "tokenizer.json";  // Hugging Face's name for another format

// The tokenizer as one line of JSON.
std::string to_json(const Tokenizer& tokenizer);
// The inverse of to_json. Errors name `where` and the field. tokenizer_from_json(json, "words.json"): errors name words.json.
Result<std::shared_ptr<const Tokenizer>> tokenizer_from_json(std::string_view json, const std::string& where);
// Writes `folder`/headlight-tokenizer.json. Errors: the folder cannot be made, the file cannot be written.
// save(*tokenizer, "my-words") makes my-words/headlight-tokenizer.json.
Status save(const Tokenizer& tokenizer, const std::filesystem::path& folder);

}  // namespace headlight::tokenizers
