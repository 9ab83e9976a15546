// The saved state of the Values view.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct ValuesView {
  // sum: one row of weights; ledger: everything that is added to a token; grid: one head's weighted values; map: its value map;
  // heads: the sum over all heads; combiners: two ways to combine heads of full width
  std::string page = "sum";
  std::int64_t first = 0;        // the first dimension of the model that the grid shows
  std::int64_t dimensions = 16;  // the grid's number of dimensions
  std::int64_t dimension = -1;   // the dimension that is written out; -1: the largest one
  bool one_scale = false;        // the totals' scale colours the heads, too
  bool operator==(const ValuesView&) const = default;
};
const ViewSchema<ValuesView>& values_view_schema();

}  // namespace headlight
