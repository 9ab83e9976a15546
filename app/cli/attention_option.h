// Which attention of a trace a command is asked about: --site, --layer, --head, --sentence.
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

  // Errors (usage): a model without such an attention, a layer, head or sentence that it does not have.
  Result<const AttentionSite*> find(const Trace& trace) const;
};

// Error (usage): `given` is not one of `count`, counted from 0.
Status check_in_range(std::int64_t given, std::int64_t count, const char* of_what, const char* option);

}  // namespace headlight::cli
