// The stages of Hugging Face's tokenizer.json as ours. Those that we do not have are refused by name and place: a tokenizer that
// cuts a text otherwise than its model was trained on would be worse than none.
#pragma once

#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// The patterns of `Split` that we have as splitters of their own, which are faster.
inline constexpr const char* kCl100kPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
inline constexpr const char* kGpt2Pattern = R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+)";

// A part of a file, and its place: "pre_tokenizer.pretokenizers[1]".
struct JsonPart {
  const Json* json = nullptr;
  std::string place;

  const std::string& type() const { return (*json)["type"].string(); }
  const Json& operator[](const char* key) const { return (*json)[key]; }
};
// The parts of a Sequence, whose list is named `parts`, and of Sequences in it; any other stage is one part, null none. The stage
// must outlive them.
std::vector<JsonPart> parts_of(const Json& stage, const std::string& place, const char* parts);

// "pre_tokenizer.pretokenizers[1]: 'X' is not known".
Failure not_known(const JsonPart& part, const std::string& where, const char* known);
// The part has no value of this name, or one that makes no sense.
Failure lacks(const JsonPart& part, const char* key, const std::string& where);

Status add_normalizers(const Json& stage, TokenizerPlan& plan, const std::string& where);
// `prefix_space`, where it is a boolean, stands in tokenizer_config.json and outranks the file. ByteLevel ends in the splitter
// "byte_level".
Status add_splitters(const Json& stage, const Json& prefix_space, TokenizerPlan& plan, const std::string& where);
Status add_decoders(const Json& stage, TokenizerPlan& plan, const std::string& where);
Status set_post_processor(const Json& stage, TokenizerPlan& plan, const std::string& where);

}  // namespace headlight::tokenizers
