// Trained: a vocabulary that was trained in the window. It belongs to the document that uses it and travels with it as JSON.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

struct Trained {
  std::string name;  // with the prefix, as a document has it: "trained:lecture-bpe-32"
  std::shared_ptr<const Tokenizer> tokenizer;
  std::string json;  // the tokenizer as headlight_file.h writes it, on one line

  bool operator==(const Trained& other) const { return name == other.name && json == other.json; }
};

// `name` begins with kTrainedPrefix: make_trained("trained:lecture-bpe-32", tokenizer).
std::shared_ptr<const Trained> make_trained(std::string name, std::shared_ptr<const Tokenizer> tokenizer);
// Reads Trained::json. Errors name `where` and the field of the JSON.
// trained_from_json(one.name, one.json, "my session") gives an equal of `one`.
Result<std::shared_ptr<const Trained>> trained_from_json(std::string name, std::string_view json, const std::string& where);

}  // namespace headlight::tokenizers
