// The trace of the document that a command's options describe.
#pragma once

#include <memory>

#include "app/cli/document_options.h"
#include "engine/core/cancel.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

// Reads the document, runs it on its backend, and prints remarks on the trace and what of it is not finite on stderr. Errors:
// those of reading and running; with `strict` what is not finite.
// traced("scores", options, false, interrupt_token())
Result<std::shared_ptr<const Trace>> traced(const std::string& command, const DocumentOptions& options, bool strict,
                                            const CancelToken& cancel);

}  // namespace headlight::cli
