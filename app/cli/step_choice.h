// Finds the step that `--what` names: by its full name ("layer.2.weights"), or by its name without the layer ("weights",
// "decoder.weights", "cross.weights") and --layer.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "engine/core/status.h"
#include "engine/pipeline/trace.h"

namespace headlight::cli {

// The parts of a step's name: "decoder." "layer.1." "cross.weights".
struct StepName {
  std::string site;  // "", "encoder.", "decoder."
  std::optional<std::int64_t> layer;
  std::string rest;                                 // "weights", "cross.weights", "embedding"
  std::string kind() const { return site + rest; }  // the name without its layer
};
StepName split_step_name(std::string_view name);

// Errors (usage): no such step (lists the names there are); several sites that have it; a layer out of range, or given for a step
// without layers. `fallback_layer` is used if no layer is given (0 if the model has no such layer).
Result<const Step*> choose_step(std::span<const Step> steps, const std::string& what, std::optional<std::int64_t> layer,
                                std::int64_t fallback_layer, const char* option = "--what");

}  // namespace headlight::cli
