// The queries and keys of one head as points of one plane, along which all of them together vary the most.
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
  std::array<double, 2> share{0, 0};         // of the variance of all queries and keys, 0..1
  std::vector<std::vector<double>> weights;  // [query][key] of the head; 0 where a mask forbids the key
};
// One sentence of the batch, without its padding. Errors: no such head, or an attention without queries and keys in the trace
// (not_found); the trace's own; cancelled.
// query_key_space(*trace, site, 0, 2, cancel): one point for each query and each key of head 2 in the first sentence.
Result<QueryKeySpace> query_key_space(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t head,
                                      const CancelToken& cancel);

}  // namespace headlight
