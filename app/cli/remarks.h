// What a command says on standard error beside its result.
#pragma once

#include "engine/pipeline/trace.h"

namespace headlight::cli {

// A line each: a text longer than the model was trained on, a target that it finds hardly possible.
void print_remarks(const Trace& trace);

}  // namespace headlight::cli
