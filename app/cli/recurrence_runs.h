// The runs of `headlight recurrence` besides reading a text: --times and --compare-learning.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/recurrence/side_by_side.h"

namespace headlight::cli {

// Times the scan of one channel of a state space model against its matrix over 64 to 4,096 steps, as a table or JSON.
// scan_times(16, true, cancel) is JSON for 16 states.
Result<std::string> scan_times(std::int64_t states, bool json, const CancelToken& cancel);

// Learns the text with all networks side by side in `steps` steps: each one's loss by step, as a table or JSON. `labels` and
// `symbols` have one entry a token.
// compared_learning(settings, {"a", "b", "a"}, {0, 1, 0}, 100, false, cancel) is a table over 100 steps.
Result<std::string> compared_learning(const recurrence::SideBySideSettings& settings, const std::vector<std::string>& labels,
                                      const std::vector<std::int64_t>& symbols, std::int64_t steps, bool json,
                                      const CancelToken& cancel);

}  // namespace headlight::cli
