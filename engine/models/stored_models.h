// Whole stored models: reading their weights, and writing a model's folder.
#pragma once

#include <filesystem>
#include <memory>
#include <string_view>
#include <vector>

#include "engine/backends/base/stored_matrix.h"
#include "engine/core/cancel.h"
#include "engine/core/npy.h"
#include "engine/document/stored_model.h"
#include "engine/models/plan.h"
#include "engine/models/weights.h"
#include "engine/tokenizers/tokenizer.h"

namespace headlight::models {

// The parameters of the model that a config.json describes, named and shaped as in its plan.
std::vector<ParameterSpec> parameters_of(const StoredModel& model);
Result<std::shared_ptr<const Weights>> open_weights(const StoredModel& model);  // errors: those of stored_weights()

// The embedding table of a published model as its file stores it, turned: a column for each token. Null: a model of ours, whose
// table is small. Errors: those of open_weights(); a number that is not finite.
Result<std::shared_ptr<const backends::StoredMatrix>> stored_table(const StoredModel& model, const CancelToken& cancel);
// The output matrix as the backend's products read it, which may stay as its file stores it. `parameter`: its name in the plan.
// output_matrix(*model, "parameters.output", backend, {}). Errors: those of open_weights() and of the backend; there is none of
// this name (not_found).
Result<backends::Buffer> output_matrix(const StoredModel& model, const std::string& parameter, backends::Backend& backend,
                                       const CancelToken& cancel);

struct ModelParts {
  // By name ("parameters.layer.0.wq"), shaped as in a plan. All of parameters_of() must be here; other tensors are ignored.
  const NamedTensors& parameters;
  const tokenizers::Tokenizer& tokenizer;
  const tokenizers::Tokenizer* target_tokenizer = nullptr;  // of model.target_vocabulary pieces; null where this number is 0
  std::string_view card;  // the text of README.md; empty: none is written, and an existing one stays
};
// Writes config.json, model.safetensors (float16), the tokenizers and the card into `folder`, which is made if it does not exist.
// All files are first written into a temporary folder inside it, so that after an error, a full disk or a kill the old files are
// still whole. Of `model` these fields count: title, trained_on, task, length, tied, the vocabularies' sizes and the document's.
// Errors: a parameter that is missing, of another shape, not finite or beyond float16; a tokenizer of another size; a folder that
// cannot be written.
// write_model("my-model", model, {parameters, *tokenizer}): open_stored_model("my-model") then finds it.
Status write_model(const std::filesystem::path& folder, const StoredModel& model, const ModelParts& parts);

}  // namespace headlight::models
