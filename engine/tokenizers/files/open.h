// The names by which a document means a tokenizer.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "engine/core/status.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::tokenizers {

// What comes before the name of a vocabulary that was trained in the window: it belongs to the document that names it
// (trained.h).
inline constexpr const char* kTrainedPrefix = "trained:";

// A tokenizer model's registry id (its bundled vocabulary), a bundled vocabulary's folder name, a bundled model's name (its
// tokenizer; of its targets: "NAME/target"), or a folder or file on disk, in any format of format_registry(). Loaded once a
// process and shared. Errors: there is no such tokenizer, and the format's.
Result<std::shared_ptr<const Tokenizer>> open(const std::string& name);
// What a person calls it: of an absolute path the file or folder without those it lies in, and the folder of a file that every
// tokenizer calls so ("gpt2" of "/data/gpt2/vocab.json"); a trained one's name without the prefix.
std::string short_name(const std::string& name);
// The registry ids, then the other folders of assets/vocabularies in alphabetical order.
std::vector<std::string> bundled_names();

}  // namespace headlight::tokenizers
