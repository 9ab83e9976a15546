// The models that a document may name. What each computes stands in engine/models/families, one family an entry.
#pragma once

#include <string>

#include "engine/core/registry.h"

namespace headlight {

struct ModelName {
  std::string id, label, formula, source;
};
const Registry<ModelName>&
model_names();  // sandbox, then the bundled ones (stored_model.h); any other one is named by its folder

}  // namespace headlight
