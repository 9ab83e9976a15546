// `headlight scores --step I`: Bahdanau's step with numbers.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

// As a table, or as JSON with every weight. `sentence` is one of the batch. Errors (usage): a step that is not there; those of
// bahdanau_step().
Result<std::string> bahdanau_words(const Trace& trace, std::int64_t sentence, std::int64_t step, bool json);

}  // namespace headlight::cli
