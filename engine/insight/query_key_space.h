// The queries and keys of one head as points of one plane: the one in which all of them together are spread the most.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct QueryKeySpace {
  // q_i and k_j as the scores multiply them (with rotary positions: turned), along both axes of the plane.
  std::vector<std::array<double, 2>> queries, keys;
  std::array<double, 2> share{0, 0};         // of the variance of all of them, 0..1
  std::vector<std::vector<double>> weights;  // [query][key] of the head; 0 where a mask forbids the key
};
// Of one sentence of the batch, without its padding. Errors: no such head, or an attention without queries and keys in the trace
// (not_found); the trace's own; cancelled.
Result<QueryKeySpace> query_key_space(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                      const CancelToken& cancel);

}  // namespace headlight
