// Patterns of other sentences, for interventions that put them in place of a head's own.
#pragma once

#include "engine/models/plan.h"
#include "engine/pipeline/run.h"

namespace headlight {

// Runs the document without its interventions on each sentence that one of them takes a pattern from, and puts the weights into
// the plan. The sentence stands in for the text in an encoder and in cross-attention, for the target in a decoder's
// self-attention. Errors: several texts; a sentence of another number of tokens; run()'s.
Status take_patterns(models::ModelPlan& plan, const Document& document, backends::Backend& backend, const CancelToken& cancel,
                     const RunOptions& options);

}  // namespace headlight
