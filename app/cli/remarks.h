// A command's remarks on standard error beside its result.
#pragma once

#include "engine/pipeline/trace.h"

namespace headlight::cli {

// Prints one line for each remark: a text longer than the model was trained on, a target that the model finds hardly possible.
void print_remarks(const Trace& trace);

}  // namespace headlight::cli
