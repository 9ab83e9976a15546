// Turns one step of a trace into the input of a layout: one head as a heatmap, all heads as a grid. This file decides which axes,
// tokens, range, colour map and note a step's picture has; it draws nothing.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "engine/core/cancel.h"
#include "engine/core/status.h"
#include "engine/insight/heads_together.h"
#include "engine/pipeline/trace.h"

namespace headlight::figures {

struct StepView {
  std::int64_t batch = 0, head = 0;
  std::string colormap;             // empty: viridis for values between 0 and 1, otherwise the signed map
  bool transposed = false;          // rows are keys, columns are queries
  bool turned = false;              // rows and columns of any other matrix are exchanged
  HeadsAs heads_as = HeadsAs::one;  // mean, max: of all heads, and `head` is ignored
  bool names_read = false;          // rows of cross-attention are named by what has been read, not by what is written
  bool words = false;               // of weights: the pieces of a word are taken together (word_groups.h)
};

// The heatmap of one head. Padding is left out: rows and columns are the sentence's real tokens. Errors: (not_found) an unknown
// step; (usage) a step that is no matrix of numbers (token ids); (invalid) a sentence without tokens; those of Trace::values().
// step_input(trace, "layer.0.weights", {.head = 2}) gives the weights of head 2 as [query, key]. A cell of the mean or the
// largest of all heads is masked where it is in every head.
Result<HeatmapInput> step_input(const Trace& trace, const std::string& step, const StepView& view);

// The rollout of the self-attentions `layers`, the lowest first, with the tokens of the last one. Hatched are cells that the mask
// forbids and no chain of layers reaches. Errors: those of attention_rollout() and step_input().
// rollout_input(trace, layers, {}, cancel) gives the shares [query, key] after the last of `layers`.
Result<HeatmapInput> rollout_input(const Trace& trace, std::span<const AttentionSite* const> layers, const StepView& view,
                                   const CancelToken& cancel);

// The grid of all heads, or with view.heads_as of one picture a layer; `steps` names one step with heads per layer. Errors: those
// of step_input(); (usage) a step without heads; (invalid) layers with different numbers of heads; (too_large) pictures beyond 2
// GB. heads_input(trace, {"layer.0.weights", "layer.1.weights"}, {}) gives a grid of two rows, one per layer.
Result<GridInput> heads_input(const Trace& trace, const std::vector<std::string>& steps, const StepView& view);

}  // namespace headlight::figures
