// Inputs for every operation of the backends, on which each backend is compared. A new alternative of OpDesc without a cases_for
// overload does not compile.
#pragma once

#include <functional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "conformance/inputs.h"
#include "engine/backends/base/backend.h"

namespace headlight::conformance {

struct Case {
  std::string name;
  backends::OpDesc desc;
  std::vector<Tensor> inputs;  // floats are float64 holding float32 values: every backend sees the same numbers
  bool has_nan = false;        // the outputs contain NaN or infinity on purpose
};

std::vector<Case> cases_for(std::type_identity<backends::Linear>);
std::vector<Case> cases_for(std::type_identity<backends::Gather>);
std::vector<Case> cases_for(std::type_identity<backends::Add>);
std::vector<Case> cases_for(std::type_identity<backends::LayerNorm>);
std::vector<Case> cases_for(std::type_identity<backends::SplitHeads>);
std::vector<Case> cases_for(std::type_identity<backends::MergeHeads>);
std::vector<Case> cases_for(std::type_identity<backends::Attention>);
std::vector<Case> cases_for(std::type_identity<backends::Isdpa>);

// The cases of the operation with this index in OpDesc.
template <std::size_t... Index>
std::vector<Case> cases_of(std::size_t operation, std::index_sequence<Index...>) {
  std::vector<Case> cases;
  ((Index == operation ? void(cases = cases_for(std::type_identity<std::variant_alternative_t<Index, backends::OpDesc>>{}))
                       : void()),
   ...);
  return cases;
}
inline std::vector<Case> cases_of(std::size_t operation) {
  return cases_of(operation, std::make_index_sequence<std::variant_size_v<backends::OpDesc>>{});
}

// The environments a case can run in: "reference", "cpu:avx2", ...; an error says why one is missing.
std::vector<std::string> environments();
Result<std::shared_ptr<backends::Backend>> open(const std::string& environment);

// Uploads the inputs, applies the operation, downloads the outputs.
Result<std::vector<Tensor>> compute(backends::Backend& backend, const backends::OpDesc& desc, const std::vector<Tensor>& inputs);

}  // namespace headlight::conformance
