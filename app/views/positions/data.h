// The data of the Positions view: the table of a position code, its dot products, its effect on a head, and the inputs of the
// pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/curves.h"
#include "app/figures/charts/table.h"
#include "app/figures/masks/mask_pictures.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "app/views/positions/pictures.h"
#include "app/views/positions/state.h"
#include "engine/attention/positions/position.h"
#include "engine/insight/order_effect.h"
#include "engine/operations/rotary.h"

namespace headlight::views::placed {

inline const State& state_of(const Context& context) { return context.view.own.of<State>(); }

struct PositionTable {
  Tensor values;  // f32 [count, d]
  double largest = 0;
  std::uint64_t key = 0;
};
struct PositionProducts {
  Tensor values;  // f32 [count, count], p_i . p_j
  double largest = 0;
  std::vector<double> mean, least, most;  // by distance |i - j|, over all pairs at that distance
  std::uint64_t key = 0;
};

// Four numbers of a token's word, four of its place, and their sum, which the model reads. Without parts where the document adds
// no table, or where the input is not just this sum.
// added_numbers(context, 2).parts.front().name is the third token.
figures::NumberSumInput added_numbers(const Context& context, std::int64_t token);

inline constexpr std::int64_t kMostPositions = 256;
// The number of shown positions, 2..256, and the dimensions whose curves are shown.
std::int64_t position_count(const Context& context);
std::vector<std::int64_t> position_dims(const Context& context);
// Null if the document has no positions.
const positions::Entry* position_entry(const Document& document);
// The pictures of the document's positions; the first one is large at first. "heatmap" and "curves" (of codes and biases),
// "distance" (of codes), "turning" (rotary positions), "distances", "rows" and "scores" (relative positions), and "effect" (on a
// head's pattern).
std::vector<std::string> position_pictures(const Document& document);
// The large picture: the view's choice if the document's positions have it, else the first one.
std::string large_picture(const Context& context);
// Whether positions add to the scores, whether they are relative with tables of their own (Shaw et al. 2018), and whether they
// rotate q and k (rotary positions).
bool has_bias(const Document& document);
bool has_relative_positions(const Document& document);
bool turns_pairs(const Document& document);
bool splits_pairs(const Document& document);  // ... and whether a pair's two numbers lie half a head apart
// The dimensions of a position's code: d_k for rotary positions, since every head turns alike; else those that the shown
// positions use, mostly d_model.
std::int64_t code_width(const Context& context);
// Whether the code's dimensions are sines and cosines of the position, in pairs; and whether `dimension` is a cosine.
// is_cosine(document, 1) is true for sinusoidal positions and false for rotary ones, whose cosines come first.
bool is_wave(const Document& document);
bool is_cosine(const Document& document, std::int64_t dimension);
// 2 pi 10000^(2i/width), with i = dimension / 2 rounded down. Source: Vaswani et al. 2017, section 3.5.
// wavelength(0, 512) and wavelength(1, 512) are 2 pi.
double wavelength(std::int64_t dimension, std::int64_t width);
// The same of the shown positions: where they turn pairs, by the model's own base and scaling.
double wavelength_of(const Context& context, std::int64_t dimension);
// How the model turns its pairs: the trace's own rotation, or the sandbox's while there is no trace.
operations::Rotary rotation_of(const Context& context);

// Both are null while they are being computed in the background, and for biases and relative positions. The code of a rotary
// position is the pair (1, 0) after its rotation: cos(pos f_i), sin(pos f_i), where f_i is 10000^(-2i/d_k) or the model's own.
std::shared_ptr<const PositionTable> position_table(const Context& context);
std::shared_ptr<const PositionProducts> position_products(const Context& context);

// table_input(context, *table) is a heatmap of positions by dimensions; distance_input(context, *products) is a curve by
// distance.
figures::HeatmapInput table_input(const Context& context, const PositionTable& table);
figures::CurvesInput dims_input(const Context& context, const PositionTable& table);
figures::HeatmapInput products_input(const Context& context, const PositionProducts& products);
figures::CurvesInput distance_input(const Context& context, const PositionProducts& products);

// "man bites dog" against "dog bites man" with and without positions. Null while it is being computed, or if the trace's
// sentences are not such a pair.
// order_effects(context, &error)->with is computed with positions.
struct OrderEffects {
  OrderEffect without, with;
  std::string with_id;  // the id of the position code in `with`
};
std::shared_ptr<const OrderEffects> order_effects(const Context& context, const Error** error);
figures::TableInput order_table(const OrderEffects& effects);

// Positions that add a number to each score: this bias for every query and key of the shown head, and by distance. Both are for a
// document whose positions are such a bias.
figures::HeatmapInput bias_input(const Context& context);
figures::CurvesInput bias_curves_input(const Context& context);

// clip(key - query, -k, k) for every query and key: constant along each diagonal, a Toeplitz matrix.
figures::HeatmapInput distances_input(const Context& context);
// One of the two tables of the chosen attention, [2 k + 1, d_k]; none if the trace has no such table.
// distance_rows_input(context, true) is the table added to the values, and distance_rows_input(context, false) the one for the
// keys.
std::optional<figures::HeatmapInput> distance_rows_input(const Context& context, bool of_values);
// The numbers that the first table adds to the chosen head's scores; none if it adds nothing.
std::optional<figures::HeatmapInput> distance_scores_input(const Context& context);

// Whether the chosen attention turns q and k. The pair that the view's dimensions name, of the query and key under the mouse or
// pinned; none while its numbers are being computed.
bool turns(const Context& context, const AttentionChoice& choice);
std::optional<figures::TurnedPairInput> turned_input(const Context& context, const AttentionChoice& choice);

// The effect of the positions on one head in one sentence: f32 [queries, keys], transposed if the view shows keys as rows.
struct PositionEffect {
  Tensor with, without, difference;  // difference = with - without
  double largest = 0;                // of |difference|
  double mean_moved = 0;             // the share 0..1 of a row's weight that positions move, mean over the sentence's queries
  double most_moved = 0;             // the largest of these shares
  std::int64_t most_at = -1;         // the query of the largest share
  std::uint64_t key = 0;
};
// Computed in the background: the document runs once more without its positions, or with positions if it has none. Null until
// then, and after an error, whose sentence is in `error`.
// position_effect(context, choice, &error)->difference is with - without.
std::shared_ptr<const PositionEffect> position_effect(const Context& context, const AttentionChoice& choice, std::string* error);
// All three maps, or the difference alone if not `all`; and the sentence below them.
figures::MaskPicturesInput effect_input(const Context& context, const AttentionChoice& choice, const PositionEffect& effect,
                                        bool all);
std::string moved_words(const Context& context, const AttentionChoice& choice, const PositionEffect& effect);

// Addresses of numbers in the trace; empty if it has none. The code's number at a position and dimension, or where q and k turn,
// that of the token's query after its turn; the number added to the score of a query and a key.
ValueAddress code_address(const Context& context, std::int64_t position, std::int64_t dim);
ValueAddress bias_address(const Context& context, std::int64_t query, std::int64_t key);
ValueAddress relative_address(const Context& context, std::int64_t query, std::int64_t key);
// The first number of the shown pair of the shown query after its rotation.
ValueAddress turned_number(const Context& context);
// What the inspector explains while nothing is pointed at.
ValueAddress subject_of(const Context& context);

// Pictures for files; a figure without items while it is being computed, or if there is nothing to show. `which` is one of
// position_pictures().
// effect_figure(context, 900, 300, true) has the three maps side by side in 900 x 300 points.
figures::Figure effect_figure(const Context& context, float width, float height, bool all);
figures::Figure relative_figure(const Context& context, const std::string& which, float width, float height);
figures::Figure turned_figure(const Context& context, float width, float height);
figures::Figure order_figure(const Context& context, float width, float height);
figures::Figure figure_of_picture(const Context& context, const std::string& which, float width, float height);

}  // namespace headlight::views::placed
