// The added tokens of published tokenizers: those that a file gives, those of the files beside it, and those that everyone knows.
#pragma once

#include <filesystem>
#include <set>
#include <string>

#include "engine/core/json.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// The JSON of a file beside a tokenizer, such as tokenizer_config.json; null where there is none. Errors: it cannot be read.
Result<Json> json_beside(const std::filesystem::path& folder, const char* name);

// Collects the added tokens of a plan, whose vocabulary is the model's at first.
class AddedList {
 public:
  // names_unknown: as in set_special_by_name().
  explicit AddedList(TokenizerPlan& plan, bool names_unknown = true) : plan_(plan), names_unknown_(names_unknown) {}

  // Reads which tokens begin and end a text: "bos_token" and "eos_token" of tokenizer_config.json or special_tokens_map.json in
  // the folder, where there are any. Tokens that are added afterwards have these roles, whatever their names. Errors:
  // json_beside()'s.
  Status read_ends(const std::filesystem::path& folder);
  // Adds a token, unless its content was added before. Its id is that of the vocabulary's piece; else `id` if this is free, else
  // the next one behind all pieces. Error: an id beyond all that are published.
  // add({.content = "[MASK]", .special = true}) makes the vocabulary's piece [MASK] one that texts may name.
  Status add(AddedToken token, std::int64_t id = -1);
  // Those of the vocabulary's pieces that are special in every published vocabulary that has them: [MASK], <s>, <|endoftext|>,
  // ...
  void add_known();
  // Those of added_tokens.json, of tokenizer_config.json and of special_tokens_map.json in the folder. Errors: json_beside()'s.
  Status add_beside(const std::filesystem::path& folder);
  // Ends the list: the vocabulary knows which pieces are no texts of the model, `more` among them.
  void finish(const std::vector<std::int32_t>& more = {}) {
    outside_.insert(outside_.end(), more.begin(), more.end());
    plan_.vocabulary.as_published(std::move(outside_));
  }

 private:
  TokenizerPlan& plan_;
  const bool names_unknown_;
  std::set<std::string> contents_;
  std::string begin_, end_;            // empty: the usual names tell
  std::vector<std::int32_t> outside_;  // ids that the model does not know
};

// An added token as these files write it: an object with "content" and flags, where a missing flag is false, but "normalized" is
// true where the token is not special; or its content alone, which is a special token. Empty content: this is neither.
AddedToken added_from_json(const Json& json, bool special);

}  // namespace headlight::tokenizers
