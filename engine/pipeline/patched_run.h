// run() with numbers put in place of a step's own.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/pipeline/run.h"

namespace headlight {

// One row of one sentence and, of a step with heads, of one head.
struct StepPatch {
  std::string step;                           // "layer.2.context", "embedding"
  std::int64_t batch = 0, head = 0, row = 0;  // head 0 of a step without heads
  std::vector<double> numbers;                // one for each place of the last axis
};

// The steps behind a patch are computed with it; of those, the steps that a trace computes when it is asked are computed from the
// kept ones. Errors: those of run(); no step has such a row (not_found).
// run_patched(document, backend, patches, cancel): with the vector of layer 2's head 0 at the fourth token given.
Result<std::shared_ptr<const Trace>> run_patched(const Document& document, backends::Backend& backend,
                                                 std::span<const StepPatch> patches, const CancelToken& cancel,
                                                 const RunOptions& options = {});

}  // namespace headlight
