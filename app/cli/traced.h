// The trace of the document that a command's options describe.
#pragma once

#include <memory>

#include "app/cli/document_options.h"
#include "engine/core/cancel.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

// Reads the document, runs it on its backend and prints remarks on the trace on stderr. Errors: those of reading and running.
// traced(options, interrupt_token())
Result<std::shared_ptr<const Trace>> traced(const DocumentOptions& options, const CancelToken& cancel);

}  // namespace headlight::cli
