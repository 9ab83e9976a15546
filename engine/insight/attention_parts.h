// What an attention adds to one position of the residual stream, head by head, with the document's interventions in force. The
// ledger of a layer and the contributions to a logit both add these parts up.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// What one head passes to the output matrix at positions [row, row + rows) of one sentence (rows -1: to the end), [rows][d_v]:
// its weighted sum, or what an intervention on the head or on the whole attention puts in its place. Errors: the trace's own.
Result<std::vector<std::vector<double>>> passed_by_head(const Trace& trace, const AttentionSite& site, std::int64_t batch,
                                                        std::int64_t head, std::int64_t row, std::int64_t rows);

struct AttentionParts {
  std::vector<std::vector<double>> heads;  // [head][d_model]: what each passes, times its rows of W_O
  std::vector<double> bias;                // [d_model], of W_O; empty: there is none, or an intervention takes all to 0
};
// The parts add up to the step that the attention adds to the stream. Errors: the trace's own; cancelled.
Result<AttentionParts> attention_parts(const Trace& trace, const AttentionSite& site, std::int64_t batch, std::int64_t position,
                                       const CancelToken& cancel);

}  // namespace headlight
