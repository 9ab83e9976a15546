// The trace of the document that a command's options describe.
#pragma once

#include <memory>

#include "app/cli/document_options.h"
#include "engine/core/cancel.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

// Reads the document, runs it on its backend and says on stderr what is to be said of the trace. Errors: of any of these.
Result<std::shared_ptr<const Trace>> traced(const DocumentOptions& options, const CancelToken& cancel);

}  // namespace headlight::cli
