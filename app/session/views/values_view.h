// How the Values view is looked at.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct ValuesView {
  // sum: one row of weights; ledger: all that is added to a token; grid: one head's weighted values; map: its value map; heads:
  // all heads added up; combiners: heads of full width made one in two ways
  std::string page = "sum";
  std::int64_t first = 0;        // the first dimension of the model that the grid shows
  std::int64_t dimensions = 16;  // how many
  std::int64_t dimension = -1;   // the one that is written out; -1: the largest
  bool one_scale = false;        // heads are coloured by the scale of the totals
  bool operator==(const ValuesView&) const = default;
};
const ViewSchema<ValuesView>& values_view_schema();

}  // namespace headlight
