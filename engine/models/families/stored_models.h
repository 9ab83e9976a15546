// Stored models as a whole: their weights, and writing one.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/core/npy.h"
#include "engine/document/stored_model.h"
#include "engine/models/plan.h"
#include "engine/models/weights.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::models {

// The parameters of the model that a config.json describes, as its plan names and shapes them.
std::vector<ParameterSpec> parameters_of(const StoredModel& model);
Result<std::shared_ptr<const Weights>> open_weights(const StoredModel& model);  // stored_weights()'s errors

struct ModelParts {
  const NamedTensors& parameters;  // by name ("parameters.layer.0.wq"), lying as in a plan; those of parameters_of(), any others
                                   // count for nothing
  const tokenizers::Tokenizer& tokenizer;
  const tokenizers::Tokenizer* target_tokenizer = nullptr;  // of model.target_vocabulary pieces; null where that is 0
  std::string_view card;                                    // of README.md; empty: none is written, one that is there stays
};
// Writes config.json, model.safetensors (float16), the tokenizers and the card into `folder`, which is made where it is not
// there. Everything is written into a temporary folder in it first, so that after an error, a full disk or a kill the files are
// those of before. `model`: title, trained_on, task, length, tied, the vocabularies' sizes and the document's fields count.
// Errors: a parameter that is missing, of another shape, not finite or beyond float16; a tokenizer of another size; a folder that
// cannot be written.
Status write_model(const std::filesystem::path& folder, const StoredModel& model, const ModelParts& parts);

}  // namespace headlight::models
