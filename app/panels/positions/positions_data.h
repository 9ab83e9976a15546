// The contents of the Positions tab: the table of a position code, its dot products, and the inputs of its pictures.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/curves.h"
#include "app/figures/charts/table.h"
#include "app/panels/shared/panel.h"
#include "engine/attention/positions/position.h"
#include "engine/insight/order_effect.h"

namespace headlight::panels {

struct PositionTable {
  Tensor values;  // f32 [count, d]
  double largest = 0;
  std::uint64_t key = 0;
};
struct PositionProducts {
  Tensor values;  // f32 [count, count], p_i . p_j
  double largest = 0;
  std::vector<double> mean, least, most;  // by distance, over all pairs that far apart
  std::uint64_t key = 0;
};

inline constexpr std::int64_t kMostPositions = 256;
// The number of positions shown, 2..256, and the dimensions that have curves.
std::int64_t position_count(const Context& context);
std::vector<std::int64_t> position_dims(const Context& context);
// Null if the document has none.
const positions::Entry* position_entry(const Document& document);
// The pictures that there are of the document's positions, the first one large at first: "heatmap", "curves" (of all), "distance"
// (but for a bias on the scores), "turning" (where q and k turn); "distances",
// "rows" and "scores" of relative positions; and "effect" (what they do to a pattern).
std::vector<std::string> position_pictures(const Document& document);
// The picture that is large: the view's if there is one of it, else the first.
std::string large_picture(const Context& context);
// Whether q and k turn by their positions.
bool turns_pairs(const Document& document);
bool splits_pairs(const Document& document);  // ... whose two numbers lie half a head apart
// Dimensions of a position's code: of a table that is added those that the shown positions use, mostly d_model; d_k where q and k
// turn, since every head turns alike.
std::int64_t code_width(const Context& context);
// Whether the code's dimensions are sines and cosines of the position, in pairs; and whether `dimension` has the cosine.
bool is_wave(const Document& document);
bool is_cosine(const Document& document, std::int64_t dimension);
// 2 pi 10000^(2i/width), i the pair of dimensions that contains `dimension`.
double wavelength(std::int64_t dimension, std::int64_t width);

// Both null while they are computed in the background, and where a bias is added to the scores. Where q and k turn, a position's
// code is what the pair (1, 0) turns into there: cos(pos / 10000^(2i/d_k)), sin(...).
std::shared_ptr<const PositionTable> position_table(const Context& context);
std::shared_ptr<const PositionProducts> position_products(const Context& context);

figures::HeatmapInput table_input(const Context& context, const PositionTable& table);
figures::CurvesInput dims_input(const Context& context, const PositionTable& table);
figures::HeatmapInput products_input(const Context& context, const PositionProducts& products);
figures::CurvesInput distance_input(const Context& context, const PositionProducts& products);

// "man bites dog" against "dog bites man" with and without positions; null while it is computed, or if the trace's sentences are
// not such a pair.
struct OrderEffects {
  OrderEffect without, with;
  std::string with_id;  // id of the position code that is compared with none
};
std::shared_ptr<const OrderEffects> order_effects(const Context& context, const Error** error);
figures::TableInput order_table(const OrderEffects& effects);

}  // namespace headlight::panels
