// Attention rollout: the share of each input token in each position after several layers of self-attention, with every layer's
// heads averaged.
#pragma once

#include <cstdint>
#include <span>

#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/core/tensor.h"
#include "engine/pipeline/trace.h"

namespace headlight {

// Abnar & Zuidema 2020, "Quantifying Attention Flow in Transformers", equation 1 and section 3: with A_l the mean of the layer's
// heads' weights,
//   A'_l = 0.5 A_l + 0.5 I,   rows normalised to sum 1,   R = A'_n ... A'_1 A'_0.
// 0.5 I stands for the residual connection; both paths count the same. `layers`: self-attentions over one sequence, the lowest
// first; of sentence `batch`. Returns f32 [query, key]; a row gives the share of each input token in that position. A query that
// may see nothing keeps itself. Errors: no layers; an attention between two sequences; those of Trace::tile(); cancelled.
// attention_rollout(*trace, layers, 0) of one layer with one head, weights {1, 0}, {.5, .5}: rows {1, 0}, {.25, .75}.
Result<Tensor> attention_rollout(const Trace& trace, std::span<const AttentionSite* const> layers, std::int64_t batch,
                                 const CancelToken& cancel = {});

// The same of an array [layer, head, query, key], the lowest layer first. Errors (invalid): another shape; a number below 0.
// attention_rollout(weights) of [12, 12, 8, 8] gives [8, 8].
Result<Tensor> attention_rollout(const Tensor& weights, const CancelToken& cancel = {});

// The mean over several heads of the step of one role (weights, scores), f32 [query, key]. A head is given by `layer`, an index
// into `layers`, and `head`. Errors: no heads; those of Trace::tile(); cancelled.
// mean_of_heads(*trace, layers, heads, 0, Role::weights) with heads {{0, 2}, {1, 0}}: the mean of two heads of two layers.
struct HeadPlace {
  std::int64_t layer = 0, head = 0;
};
Result<Tensor> mean_of_heads(const Trace& trace, std::span<const AttentionSite* const> layers, std::span<const HeadPlace> heads,
                             std::int64_t batch, Role step, const CancelToken& cancel = {});

}  // namespace headlight
