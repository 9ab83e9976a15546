// What the Values view saves.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::values {

struct State {
  // sum: one row of weights; ledger: everything that is added to a token; grid: one head's weighted values; map: its value map;
  // heads: the sum over all heads; combiners: two ways to combine heads of full width
  std::string page = "sum";
  std::int64_t first = 0;        // the first dimension of the model that the grid shows
  std::int64_t dimensions = 16;  // the grid's number of dimensions
  std::int64_t dimension = -1;   // the dimension that is written out; -1: the largest one
  bool one_scale = false;        // the totals' scale colours the heads, too
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::values
