// What the Long texts view shows: every method's pattern over one head's own q, k and v, and what each costs by length.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/long_texts/long_figures.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "engine/attention/long_texts/method.h"

namespace headlight::panels {

// A parameter of the methods, and the field of the view that holds a value of one's own.
struct LongKnob {
  const char* id;
  std::int64_t LongTextsView::*own;
};
const std::array<LongKnob, 9>& long_knobs();
// The values that a method has in this view: its own, with those of the person.
Values long_values(const LongTextsView& view, const long_texts::Entry& entry);

// Texts beyond this are shown by their first tokens: maps of L x L cells are kept for every method.
inline constexpr std::int64_t kMostLongTokens = 1024;

// One method on one head.
struct LongShown {
  Tensor weights;   // f32 [L, L]
  Tensor shades;    // f32 [L, L]: the root of a weight, which colours its cell: most weights of a long text are small
  Tensor computed;  // u8 [L, L]: 1, the cell is computed; empty where the method computes no cell by itself
  Tensor apart;     // f32 [L, L]: weights less those of full attention
  std::vector<std::int64_t> part_of;
  double computed_cells = 0;                         // numbers that softmax reads, of L x L
  double largest = 0, farthest = 0;                  // the largest weight; the largest number of `apart` by size
  double max_diff = 0, mean_diff = 0, relative = 0;  // of the output, computed on the CPU, from full attention's in double
  double left_out = 0;  // weight of full attention in cells that are not computed, mean over the rows
  operations::Cost cost;
  std::uint64_t key = 0;  // of its pictures
  std::uint64_t bytes() const { return weights.bytes() + shades.bytes() + computed.bytes() + apart.bytes(); }
};
struct LongResult {
  std::shared_ptr<const LongShown> shown;  // null: being computed, or refused
  std::string refused;                     // the sentence; empty: it is not
};

struct LongState {
  AttentionChoice choice;
  std::string words;  // why nothing is shown; empty: something is
  std::int64_t tokens = 0, all_tokens = 0;
  long_texts::Task task;
  std::vector<std::string> labels;
  std::vector<LongResult> results;  // as the registry's entries
  std::size_t chosen = 0;
  const long_texts::Entry& entry() const { return long_texts::registry().entries()[chosen]; }
  const LongResult& result() const { return results[chosen]; }
};
LongState long_state(const Context& context, const AttentionChoice& choice);

figures::LongTilesInput long_tiles_input(const Context& context, const LongState& state);
// The weights of the chosen method, or what they differ in from full attention's.
figures::HeatmapInput long_map_input(const Context& context, const LongState& state, bool apart);
// The legend of both maps, or without `apart` of the weights alone: in a file every map has its own.
figures::Figure long_legend(const Context& context, const LongState& state, bool apart, float width);
// Who is in which part; empty: the method has no parts.
std::vector<figures::PartRow> long_part_rows(const Context& context, const LongState& state);
// What the map shows in numbers: how many cells are computed, and how far the output is.
std::vector<std::string> long_words(const LongState& state);

// Operations or bytes, counted, or times, measured one length after the other in the background, over 64 to 8,192 tokens: a line
// a method, and up to d = recurrence::kMostUnits an RNN, an LSTM and a state space of d units.
inline constexpr std::array<std::int64_t, 8> kLongLengths = {64, 128, 256, 512, 1024, 2048, 4096, 8192};
struct LongCosts {
  figures::LongCostsInput input;
  std::size_t done = 0;    // lengths that are known
  bool measuring = false;  // one is being measured
  std::string error;
};
// Times are asked for at the first `lengths` lengths only; those that are not known yet are measured.
LongCosts long_costs(const Context& context, const LongState& state, figures::LongCostsInput::Of of, std::size_t lengths);

}  // namespace headlight::panels
