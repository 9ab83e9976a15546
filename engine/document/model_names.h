// The models that a document may name.
#pragma once

#include <string>

#include "engine/core/registry.h"

namespace headlight {

struct ModelName {
  std::string id, label, formula, source;
};
// sandbox, then the bundled models (stored_model.h). A document names any other model by its folder.
const Registry<ModelName>& model_names();

}  // namespace headlight
