// The models of the program: each writes its plan from a document and names the source of its numbers.
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
  // Writes the plan. No memory is allocated for values.
  ModelPlan (*plan)(const Document& document, const Sizes& sizes, DType real);
  // Errors: a stored model's weights that cannot be read.
  Result<std::shared_ptr<const Weights>> (*weights)(const Document& document);
};
const Registry<Family>& families();  // sandbox, then the bundled models, as model_names() lists them
// The family of Document::model, which may also be the folder of a stored model. Error: no such model.
Result<const Family*> family_of(const Document& document);

// Seeded embeddings and positions, N layers of multi-head attention with optional projections, residual connections, norms (pre
// or post) and feed-forward part; with targets an encoder and a decoder joined by cross-attention (Vaswani et al. 2017; S5 to S9,
// S12, S18).
Family sandbox();
// The same composition of blocks, with weights from a stored model's folder.
Family stored(const ModelName& name);

}  // namespace headlight::models
