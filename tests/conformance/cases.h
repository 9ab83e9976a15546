// Inputs for every operation: what each backend is compared with the reference on. An operation has at least its own examples,
// so that none is without a test.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "conformance/inputs.h"
#include "engine/backends/base/backend.h"
#include "engine/operations/operation.h"

namespace headlight::conformance {

struct Case {
  std::string name;
  backends::OpDesc desc;
  std::vector<Tensor> inputs;  // floats are float64 holding float32 values: every backend sees the same numbers
  bool has_nan = false;        // the outputs contain NaN or infinity on purpose
};

// The operation's own examples, and more where it has the edge cases of sizes, masks and numbers that backends get wrong.
std::vector<Case> cases_of(const operations::Kind& kind);

// The environments a case can run in: "reference", "cpu:avx2", ...; an error says why one is missing.
std::vector<std::string> environments();
Result<std::shared_ptr<backends::Backend>> open(const std::string& environment);

// Uploads the inputs, applies the operation, downloads the outputs.
Result<std::vector<Tensor>> compute(backends::Backend& backend, const backends::OpDesc& desc, const std::vector<Tensor>& inputs);

}  // namespace headlight::conformance
