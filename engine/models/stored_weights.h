// Weights read from a stored model's file, and written into one.
#pragma once

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "engine/core/npy.h"
#include "engine/document/stored_model.h"
#include "engine/models/weights.h"

namespace headlight::models {

// The weights in the model's folder, for a model with these parameters (names, and shapes in which they multiply from the right).
// The whole file is read, transposed and checked once in a process, and again when it changes. Errors, naming the file and the
// tensor: the file's own; a tensor that is missing, that the model has no parameter for, of another shape, or with NaN or an
// infinite number (and its place).
// stored_weights(model, parameters_of(model)): all weights of a stored model.
Result<std::shared_ptr<const Weights>> stored_weights(const StoredModel& model, const std::vector<ParameterSpec>& parameters);

// Writes `values`, named and shaped as in a plan ("parameters.layer.0.wq"), into `file` as float16. Each of `parameters` must be
// among them, in its shape. Errors: a parameter that is missing, of another shape or not finite; those of write_safetensors().
// write_weights("model.safetensors", model, parameters_of(model), values): stored_weights() reads the file again.
Status write_weights(const std::filesystem::path& file, const StoredModel& model, const std::vector<ParameterSpec>& parameters,
                     const NamedTensors& values);

}  // namespace headlight::models
