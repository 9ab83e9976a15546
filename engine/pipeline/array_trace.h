// The Trace of a document whose attention was computed elsewhere: steps that read a file's arrays, and those that follow from
// them.
#pragma once

#include <memory>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/document/document.h"
#include "engine/pipeline/run.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// What run() gives for a document with `arrays`. Nothing of a map is read before somebody looks at it. Scores follow from q and
// k, masked scores from the document's masks, weights from masked scores, and a context from v, each where the file has none of
// its own. Errors: open_arrays()'s, arrays::parts_of()'s and those of the tokens.
Result<std::shared_ptr<const Trace>> read_arrays(const Document& document, const CancelToken& cancel, const RunOptions& options);

}  // namespace headlight
