// Published models: the plan of an architecture, composed of the public blocks, and their weights, read where they lie.
#pragma once

#include <memory>
#include <vector>

#include "engine/core/function_ref.h"
#include "engine/document/stored_model.h"
#include "engine/models/architectures/architecture.h"
#include "engine/models/plan.h"
#include "engine/models/weights.h"

namespace headlight::models {

// The plan of a model that others published, with what the document changes in it: masks, scale, temperature, interventions.
// published_plan(model.checkpoint->architecture, model.document, sizes, DType::f32)
ModelPlan published_plan(const architectures::Architecture& architecture, const Document& document, const Sizes& sizes,
                         DType real);

// The weights as the checkpoint has them, for a plan's parameters. The file stays mapped and each tensor is widened when it is
// asked for. Errors, naming the file and the tensor: one that is missing, that the model has no place for, or of another shape.
// `parameters` is called where no earlier run's weights are there still.
// checkpoint_weights(model.checkpoint, [&] { return plan.parameters; })
Result<std::shared_ptr<const Weights>> checkpoint_weights(const std::shared_ptr<const architectures::Checkpoint>& checkpoint,
                                                          FunctionRef<std::vector<ParameterSpec>()> parameters);

}  // namespace headlight::models
