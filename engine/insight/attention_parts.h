// The vectors that an attention adds to one position of the residual stream, head by head, with the document's interventions in
// force. The ledger of a layer and the contributions to a logit both add these vectors up.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// The vectors that one head passes to the output matrix at positions [row, row + rows) of one sentence (rows -1: to the end),
// [rows][d_v]. Each is the head's weighted sum, or the vector that an intervention on the head or on the whole attention puts in
// its place. Errors: the trace's own.
// passed_by_head(*trace, site, 0, 2, 5, 1): one vector, of head 2 at the sixth token of the first sentence.
Result<std::vector<std::vector<double>>> passed_by_head(const Trace& trace, const AttentionSite& site, std::int64_t batch,
                                                        std::int64_t head, std::int64_t row, std::int64_t rows);

struct AttentionParts {
  std::vector<std::vector<double>> heads;  // [head][d_model]: the head's passed vector times its rows of W_O
  std::vector<double> bias;  // [d_model], of W_O; empty: W_O has none, or an intervention sets the whole output to 0
};
// The parts add up to the vector that the attention adds to the stream. Errors: the trace's own; cancelled.
// attention_parts(*trace, site, 0, 5, {}): one vector a head, and the bias, for the sixth token of the first sentence.
Result<AttentionParts> attention_parts(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t position,
                                       const CancelToken& cancel);

}  // namespace headlight
