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

// The weights in the model's folder, for a model of these parameters (names, and shapes with which they act from the right). The
// whole file is read, turned and checked once a process, and again when it changes. Errors, naming the file and the tensor: the
// file's own, a tensor that is missing, that the model has no place for, of another shape, or with NaN or an infinite number (and
// where).
Result<std::shared_ptr<const Weights>> stored_weights(const StoredModel& model, const std::vector<ParameterSpec>& parameters);

// Writes `values`, named as in a plan ("parameters.layer.0.wq") and lying as there, into `file` as float16. Each of `parameters`
// must be among them, in its shape. Errors: one that is missing, of another shape or not finite; write_safetensors().
Status write_weights(const std::filesystem::path& file, const StoredModel& model, const std::vector<ParameterSpec>& parameters,
                     const NamedTensors& values);

}  // namespace headlight::models
