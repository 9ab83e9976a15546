// The vector that attention added to one token in one layer (Delta E): its length, and the part of this length that came through
// each head from each token. All numbers are read from the trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// Delta E = sum over heads h and keys j of weight_hj v_hj W_O^h, plus the bias of W_O. With u = Delta E / |Delta E| each addend
// has the part (addend . u) of |Delta E|. The part is negative where the addend points against Delta E. The parts add up to
// |Delta E|.
struct AttentionAdded {
  struct Head {
    std::vector<double> by_source;  // [keys] the parts
    double along = 0;               // their sum
    double length = 0;              // |sum over keys of the addends|
  };
  std::string prefix;  // AttentionSite::prefix
  std::int64_t layer = 0;
  std::vector<Head> heads;
  std::vector<double> by_source;  // [keys], of all heads
  double length = 0;              // |Delta E|
  double bias = 0;                // the part of W_O's bias
  double rest = 0;                // `length` minus all of these: the part of interventions, else rounding errors
};
// Errors: the trace has no step with the attention's result (not_found); the trace's own errors; cancelled.
// attention_added(*trace, trace->sites()[0], 0, 5, {}): the parts of Delta E of the sixth token in the first attention.
Result<AttentionAdded> attention_added(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t row,
                                       const CancelToken& cancel);

}  // namespace headlight
