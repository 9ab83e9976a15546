// The models that there are: each writes its plan from a document and says where its numbers come from.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "engine/core/registry.h"
#include "engine/document/document.h"
#include "engine/document/model_names.h"
#include "engine/models/plan.h"

namespace headlight::models {

struct Family : ModelName {
  // Nothing is allocated for values.
  ModelPlan (*plan)(const Document& document, const Sizes& sizes, DType real);
  std::shared_ptr<const Weights> (*weights)(const Document& document);
};
const Registry<Family>& families();  // sandbox

// Seeded embeddings + positions, N layers of multi-head attention with optional projections, residual connections, norms (pre or
// post) and feed-forward part; with targets an encoder and a decoder joined by cross-attention (Vaswani et al. 2017; S5 to S9,
// S12, S18).
Family sandbox();

}  // namespace headlight::models
