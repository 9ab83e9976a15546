// Patterns of other sentences, for interventions that put them in place of a head's own pattern.
#pragma once

#include "engine/models/plan.h"
#include "engine/pipeline/run.h"

namespace headlight {

// Runs the document without its interventions on each sentence that an intervention takes a pattern from, and puts the weights
// into the plan. The sentence replaces the text in an encoder and in cross-attention, and the target in a decoder's
// self-attention. Errors: several texts; a sentence of another number of tokens; those of run().
// take_patterns(plan, document, backend, cancel, options): the plan is then ready for the executor.
Status take_patterns(models::ModelPlan& plan, const Document& document, backends::Backend& backend, const CancelToken& cancel,
                     const RunOptions& options);

}  // namespace headlight
