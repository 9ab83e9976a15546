// run, on the backend that the document names or, where that one cannot, on the CPU.
#pragma once

#include <functional>
#include <memory>
#include <string_view>

#include "engine/backends/backends.h"
#include "engine/pipeline/run.h"

namespace headlight {

using OpenBackend = std::function<Result<std::shared_ptr<backends::Backend>>(std::string_view id)>;

// A machine without a graphics card opens a session from one that has it, and a card may be lost or run out of memory in the
// middle: the CPU then computes the same document, and the trace's remark() says why. Errors are those of run().
Result<std::shared_ptr<const Trace>> run_anywhere(const Document& document, const CancelToken& cancel, RunOptions options = {},
                                                  const OpenBackend& open = backends::open);

}  // namespace headlight
