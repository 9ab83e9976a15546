// A tokenizer as tokenizer.json of Hugging Face, which the library tokenizers loads and reads texts with in the same way, and as
// the older files with the vocabulary and the merges.
#pragma once

#include <filesystem>
#include <string>

#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// One line of JSON. Error (invalid): a stage that the library does not have. The special tokens of a tokenizer that was trained
// here become special added tokens there, so that a text names them. Of characters, a cluster that the vocabulary lacks and that
// begins with an ASCII character begins with this character's own piece there, and not with its byte token.
Result<std::string> to_hugging_face(const Tokenizer& tokenizer);
// Writes `folder`/tokenizer.json; of BPE over bytes vocab.json and merges.txt too, of WordPiece vocab.txt. Errors:
// to_hugging_face's, the folder cannot be made, a file cannot be written.
// save_hugging_face(*tokenizer, "my-words") makes my-words/tokenizer.json.
Status save_hugging_face(const Tokenizer& tokenizer, const std::filesystem::path& folder);

}  // namespace headlight::tokenizers
