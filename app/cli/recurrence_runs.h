// What `headlight recurrence` measures and learns besides reading a text: --times and --compare-learning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/recurrence/side_by_side.h"

namespace headlight::cli {

// The scan of one channel of a state space against its matrix over 64 to 4,096 steps, as a table or JSON.
Result<std::string> scan_times(std::int64_t states, bool json, const CancelToken& cancel);

// The text learnt side by side in `steps` steps: loss by step of each, as a table or JSON. `labels` of the tokens.
Result<std::string> compared_learning(const recurrence::SideBySideSettings& settings, const std::vector<std::string>& labels,
                                      const std::vector<std::int64_t>& symbols, std::int64_t steps, bool json,
                                      const CancelToken& cancel);

}  // namespace headlight::cli
