// Opening a tokenizer by the name that a document gives.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// The prefix of the name of a vocabulary that was trained in the window, and that belongs to the document (trained.h).
inline constexpr const char* kTrainedPrefix = "trained:";

// `name` is a tokenizer model's registry id (its bundled vocabulary), a bundled vocabulary's folder name, a bundled model's name
// (its tokenizer; "NAME/target" for the targets'), one's own model's name, or a folder or file on disk, in any format of
// format_registry(). A tokenizer is loaded once a process and shared, and again when its file has changed. Errors: there is no
// such tokenizer, and the format's.
Result<std::shared_ptr<const Tokenizer>> open(const std::string& name);
// A tokenizer's name as a person says it: the last part of a path that begins with "/" or ".", or the folder's name if a format
// always calls its file so ("gpt2" of "/data/gpt2/vocab.json"); the name of a trained vocabulary without the prefix.
std::string short_name(const std::string& name);
// The registry ids, then the other folders of assets/vocabularies in alphabetical order.
std::vector<std::string> bundled_names();

}  // namespace headlight::tokenizers
