// The contents of the Positions tab: the table of a position code, its dot products, and the inputs of its pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/curves.h"
#include "app/figures/charts/number_sum.h"
#include "app/figures/charts/table.h"
#include "app/views/base/context.h"
#include "engine/attention/positions/position.h"
#include "engine/insight/order_effect.h"
#include "engine/operations/rotary.h"

namespace headlight::views {

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
// Whether positions rotate q and k (rotary positions).
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

}  // namespace headlight::views
