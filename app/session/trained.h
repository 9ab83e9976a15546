// A tokenizer that was trained in the window lives in one process; a session that names it carries it along, so that a file that
// is handed on opens everywhere.
#pragma once

#include <cstddef>
#include <string>

#include "engine/core/status.h"

namespace headlight {

// Larger ones (some 100,000 entries) are not carried: their folder has to be handed on too.
inline constexpr std::size_t kMostCarried = std::size_t{4} << 20;

// The tokenizer.json of "trained:NAME"; empty if `name` is no such name, if this process knows none, or if it is too large.
std::string carried_tokenizer(const std::string& name);
// Makes it known here under "trained:NAME". Errors name `where` and what is wrong with the file inside.
Status take_tokenizer(const std::string& name, const std::string& json, const std::string& where);

}  // namespace headlight
