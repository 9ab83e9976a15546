// The data of the Long texts view: every method's pattern over one head's q, k and v, and the cost of each by length.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/long_texts/long_figures.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "app/views/long_texts/state.h"
#include "engine/attention/long_texts/method.h"

namespace headlight::views::long_range {

// A parameter of the methods, and the view's field for a value that the person has set; a negative field means the method's own
// value.
struct LongKnob {
  const char* id;
  std::int64_t State::*own;
};
const std::array<LongKnob, 9>& long_knobs();
// The parameter values of a method in this view: the method's defaults, replaced by those that the person has set.
// long_values(view, entry)["window"] is view.window if `entry` has a window and view.window is not negative.
Values long_values(const State& view, const long_texts::Entry& entry);

// Longer texts are cut to their first tokens, because every method keeps maps of L x L cells.
inline constexpr std::int64_t kMostLongTokens = 1024;

// One method on one head.
struct LongShown {
  Tensor weights;   // f32 [L, L]
  Tensor shades;    // f32 [L, L]: the square root of each weight, which colours its cell, because most weights of a long text are
                    // small
  Tensor computed;  // u8 [L, L]: 1 for a computed cell; empty if the method computes no single cell
  Tensor apart;     // f32 [L, L]: the weights minus those of full attention
  std::vector<std::int64_t> part_of;  // the part (ring's device, LSH's bucket) that each token is in; empty: no parts
  double computed_cells = 0;          // the numbers that softmax reads, of L x L
  double largest = 0, farthest = 0;   // the largest weight; the largest magnitude in `apart`
  double max_diff = 0, mean_diff = 0, relative = 0;  // of the output on the CPU, against full attention's in double
  double left_out = 0;                               // full attention's weight in cells that are not computed, mean over the rows
  operations::Cost cost;
  std::uint64_t key = 0;  // of its pictures' textures
  std::uint64_t bytes() const { return weights.bytes() + shades.bytes() + computed.bytes() + apart.bytes(); }
};
struct LongResult {
  std::shared_ptr<const LongShown> shown;  // null: being computed, or refused
  std::string refused;                     // why the method cannot run here, as a sentence; empty: it can
};

struct LongState {
  AttentionChoice choice;
  std::string words;                        // why nothing is shown; empty: something is shown
  std::int64_t tokens = 0, all_tokens = 0;  // the shown tokens, and all of the text's
  long_texts::Task task;
  std::vector<std::string> labels;
  std::vector<LongResult> results;  // in the order of the registry's entries
  std::size_t chosen = 0;           // index into `results`
  const long_texts::Entry& entry() const { return long_texts::registry().entries()[chosen]; }
  const LongResult& result() const { return results[chosen]; }
};
// The state of the view for this attention; results that are not yet known are computed in the background.
// long_state(context, choose_attention(context)).tokens is at most kMostLongTokens.
LongState long_state(const Context& context, const AttentionChoice& choice);

// long_tiles_input(context, state) has a tile for each method of the registry.
figures::LongTilesInput long_tiles_input(const Context& context, const LongState& state);
// The chosen method's weights or, if `apart`, their difference from full attention's.
// long_map_input(context, state, true) is coloured from minus to plus the largest difference.
figures::HeatmapInput long_map_input(const Context& context, const LongState& state, bool apart);
// The legend of both maps if `apart`, else of the weights alone: in a file every map has a legend of its own.
// long_legend(context, state, true, 640) is 640 points wide.
figures::Figure long_legend(const Context& context, const LongState& state, bool apart, float width);
// The tokens of each part of the chosen method (ring's devices, LSH's buckets); empty if the method has no parts.
// long_part_rows(context, state)[0].name is "bucket 0" for LSH.
std::vector<figures::PartRow> long_part_rows(const Context& context, const LongState& state);
// The map's facts as short lines: the number of computed cells, the output's difference from full attention's, the cost.
std::vector<std::string> long_words(const LongState& state);

// The costs by length, from 64 to 8,192 tokens: counted operations or bytes, or times, which are measured one length after the
// other in the background. Each method has a line. An RNN, an LSTM and a state space model of d units have one each where d is at
// most recurrence::kMostUnits.
inline constexpr std::array<std::int64_t, 8> kLongLengths = {64, 128, 256, 512, 1024, 2048, 4096, 8192};
struct LongCosts {
  figures::LongCostsInput input;
  std::size_t done = 0;    // how many lengths are known
  bool measuring = false;  // a length is being measured
  std::string error;
};
// Asks for times at the first `lengths` lengths only, and measures those that are not yet known.
// long_costs(context, state, figures::LongCostsInput::Of::seconds, 4) measures 64, 128, 256 and 512 tokens.
LongCosts long_costs(const Context& context, const LongState& state, figures::LongCostsInput::Of of, std::size_t lengths);

}  // namespace headlight::views::long_range
