// The gradients of a trained model's loss by every number of a trace: the backward pass as named steps.
#pragma once

#include <memory>

#include "engine/backends/base/backend.h"
#include "engine/core/cancel.h"
#include "engine/core/npy.h"
#include "engine/pipeline/trace.h"

namespace headlight::train {

// The loss is the mean, over positions that a token follows, of -ln probability of that token, in nats. Arrays: `loss` [batch,
// positions] (0 where no token follows), then from last to first `grad.STEP` of each step's own shape, the derivative of this
// mean by each of the step's numbers, with `grad.….weights`, `masked_scores` and `scores` of each attention, then
// `grad.parameters.NAME`. Errors: a model without probabilities; a model that fills in, which predicts no next token; replaced
// attention weights; relative positions; no token that follows another; no memory; cancelled; the backend's.
// loss_gradients(*trace, backend, cancel): "grad.layer.0.weights" has the shape of "layer.0.weights".
Result<NamedTensors> loss_gradients(const Trace& trace, const std::shared_ptr<backends::Backend>& backend,
                                    const CancelToken& cancel);

}  // namespace headlight::train
