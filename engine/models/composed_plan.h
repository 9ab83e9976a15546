// The plan of any architecture, as a composition of the public blocks: the sandbox's, one's own and those that others published.
#pragma once

#include "engine/architectures/architecture.h"
#include "engine/document/document.h"
#include "engine/models/plan.h"

namespace headlight::models {

// Of the document only that is read which a person may change in any model: masks, score, scale, temperature, interventions. No
// memory is allocated for values.
// plan_of(architecture_of(document), document, sizes, DType::f32): the sandbox's plan.
ModelPlan plan_of(const architectures::Architecture& architecture, const Document& document, const Sizes& sizes, DType real);

}  // namespace headlight::models
