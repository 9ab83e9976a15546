// What the Positions tab shows: the table of a position code, its dot products, and the inputs of its pictures.
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
  std::vector<double> mean, least, most;  // over all pairs that far apart, by distance
  std::uint64_t key = 0;
};

inline constexpr std::int64_t kMostPositions = 256;
// How many positions are shown, 2..256, and which of the code's dimensions have curves.
std::int64_t position_count(const Context& context);
std::vector<std::int64_t> position_dims(const Context& context);
// Null where the document adds none.
const positions::Entry* position_entry(const Document& document);
// 2 pi 10000^(2i/d) of the pair of dimensions that `dimension` belongs to.
double wavelength(std::int64_t dimension, std::int64_t d_model);

// Both null while they are made in the background.
std::shared_ptr<const PositionTable> position_table(const Context& context);
std::shared_ptr<const PositionProducts> position_products(const Context& context);

figures::HeatmapInput table_input(const Context& context, const PositionTable& table);
figures::CurvesInput dims_input(const Context& context, const PositionTable& table);
figures::HeatmapInput products_input(const Context& context, const PositionProducts& products);
figures::CurvesInput distance_input(const Context& context, const PositionProducts& products);

// "man bites dog" against "dog bites man" with and without positions; null while it is computed, or if the trace's sentences are
// no such pair.
struct OrderEffects {
  OrderEffect without, with;
  std::string with_id;  // of the position code compared with none
};
std::shared_ptr<const OrderEffects> order_effects(const Context& context, const Error** error);
figures::TableInput order_table(const OrderEffects& effects);

}  // namespace headlight::panels
