// A command's remarks on standard error beside its result.
#pragma once

#include "engine/pipeline/trace.h"
#ifdef HEADLIGHT_APP
#include "app/figures/base/figure.h"
#endif

namespace headlight::cli {

// Prints one line for each remark: a text longer than the model was trained on, a target that the model finds hardly possible.
void print_remarks(const Trace& trace);
#ifdef HEADLIGHT_APP
// Prints what the picture leaves out and what it counts: "60 of 3,600 cells are not a number".
void print_remarks(const figures::Figure& figure);
#endif

}  // namespace headlight::cli
