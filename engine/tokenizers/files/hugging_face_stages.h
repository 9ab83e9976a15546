// The stages of Hugging Face's tokenizer.json as ours. Those that we do not have are refused by name: a tokenizer that cuts a
// text otherwise than its model was trained on would be worse than none.
#pragma once

#include <string>
#include <vector>

#include "engine/core/json.h"
#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

Failure not_read(const Message& what, const std::string& where);
const std::string& type_of(const Json& stage);
// The parts of a Sequence, whose list is named `parts`; any other stage is one part, null none.
std::vector<Json> parts_of(const Json& stage, const char* parts);

Status add_normalizers(const Json& stage, TokenizerPlan& plan, const std::string& where);
// bytes: the last stage is ByteLevel, whose letters for bytes the model writes itself. `prefix_space`, where it is a boolean,
// stands in tokenizer_config.json and outranks the file.
Status add_splitters(const Json& stage, const Json& prefix_space, TokenizerPlan& plan, bool& bytes, const std::string& where);
Status add_decoders(const Json& stage, TokenizerPlan& plan, const std::string& where);

}  // namespace headlight::tokenizers
