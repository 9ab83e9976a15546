// `headlight scores --step I`: one step of Bahdanau's decoder with numbers.
#pragma once

#include <cstdint>
#include <string>

#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

// The step as a table, or as JSON with every weight. `sentence` is an index into the batch. Errors (usage): a step that does not
// exist; bahdanau_step()'s.
// bahdanau_words(*trace, 0, 2, false) is a table of the third step for the first sentence.
Result<std::string> bahdanau_words(const Trace& trace, std::int64_t sentence, std::int64_t step, bool json);

}  // namespace headlight::cli
