// Finds the step that `--what` names: by its full name ("layer.2.weights"), or by --layer and its name without the layer
// ("weights", "decoder.weights", "cross.weights").
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/insight/heads_together.h"
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

// Errors (usage): no such step (the error lists the names); several sites with this step; a layer out of range, or given for a
// step without layers. `fallback_layer` is used if no layer is given (the first layer if the model lacks it).
// choose_step(trace.steps(), "weights", 2, 0) finds "layer.2.weights" in a model of one stack.
Result<const Step*> choose_step(std::span<const Step> steps, const std::string& what, std::optional<std::int64_t> layer,
                                std::int64_t fallback_layer, const char* option = "--what");

// The weights whose rollout "rollout", "encoder.rollout" or "layer.2.rollout" is: those of the last layer if none is named.
// Errors: choose_step()'s. choose_rollout(steps, "rollout", 3) finds "layer.3.weights".
Result<const Step*> choose_rollout(std::span<const Step> steps, const std::string& what, std::optional<std::int64_t> layer);
// The self-attentions from the first layer to that of these weights, of its stack.
// layers_below(trace, "encoder.layer.1.weights") has the encoder's layers 0 and 1.
std::vector<const AttentionSite*> layers_below(const Trace& trace, const std::string& weights);

// How a value of --head combines all heads: HeadsAs::mean for "mean"; HeadsAs::one for numbers and "all".
HeadsAs heads_as_of(const std::string& text);
// The heads that `--head` names, each once: "3", or "0,2,5". Error (usage): a text that is no such list.
// heads_from("0,2,5") gives 0, 2, 5.
Result<std::vector<std::int64_t>> heads_from(const std::string& text);

}  // namespace headlight::cli
