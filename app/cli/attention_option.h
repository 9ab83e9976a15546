// The options --site, --layer, --head and --sentence: the attention of a trace that a command is about.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/arguments.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

struct AttentionOption {
  explicit AttentionOption(Arguments& arguments);
  std::string site;
  std::int64_t layer = 0, head = 0, sentence = 0;

  // Errors (usage): the model has no such attention, or not this layer, head or sentence.
  Result<const AttentionSite*> find(const Trace& trace) const;
};

// Error (usage): `given` is not in 0 .. `count` - 1.
// check_in_range(3, 2, "head", "--head") is the error "there is no head 3", and says that they go from 0 to 1.
Status check_in_range(std::int64_t given, std::int64_t count, const char* of_what, const char* option);

}  // namespace headlight::cli
