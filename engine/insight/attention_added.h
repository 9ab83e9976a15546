// What attention added to one token in one layer (Delta E): how long it is, and how much of that length came through which head
// from which token. All numbers are read from the trace.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// Delta E = sum over heads h and keys j of weight_hj v_hj W_O^h, and W_O's bias. With u = Delta E / |Delta E| each addend has the
// part (addend . u) of |Delta E|: negative where it pulls back. The parts add up to |Delta E|.
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
  double rest = 0;                // length less all of these: what interventions put in; otherwise what rounding leaves
};
// Errors: an attention whose result is no step of the trace (not_found); the trace's own; cancelled.
Result<AttentionAdded> attention_added(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t row,
                                       const CancelToken& cancel);

}  // namespace headlight
