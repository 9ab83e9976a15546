// run() on the backend that the document names or, where this backend fails, on the CPU.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"

namespace headlight {

using OpenBackend = std::function<Result<std::shared_ptr<backends::Backend>>(std::string_view id)>;

// A machine without a graphics card may open a session that was saved on a machine with one, and a card may be lost or run out of
// memory. The CPU then computes the same document, and the trace's remark() says why. Errors: those of run().
// run_anywhere(document, cancel) of a document with the backend "cuda" works on every machine.
Result<std::shared_ptr<const Trace>> run_anywhere(const Document& document, const CancelToken& cancel, RunOptions options = {},
                                                  const OpenBackend& open = backends::open);

}  // namespace headlight
