// The weights of a published model, read where they lie.
#pragma once

#include <memory>
#include <vector>

#include "engine/architectures/architecture.h"
#include "engine/core/function_ref.h"
#include "engine/models/weights.h"

namespace headlight::models {

// The weights as the checkpoint has them, for a plan's parameters. The file stays mapped and each tensor is widened when it is
// asked for. Errors, naming the file and the tensor: one that is missing, that the model has no place for, or of another shape.
// `parameters` is called where no earlier run's weights are there still.
// checkpoint_weights(model.checkpoint, [&] { return plan.parameters; })
Result<std::shared_ptr<const Weights>> checkpoint_weights(const std::shared_ptr<const architectures::Checkpoint>& checkpoint,
                                                          FunctionRef<std::vector<ParameterSpec>()> parameters);

}  // namespace headlight::models
