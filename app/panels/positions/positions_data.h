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
// Null if the document adds none.
const positions::Entry* position_entry(const Document& document);
// 2 pi 10000^(2i/d), i the pair of dimensions that contains `dimension`.
double wavelength(std::int64_t dimension, std::int64_t d_model);

// Both null while they are computed in the background.
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
