// What the Heads view saves. The pinned heads, and the words that name rows, are ViewState's: other views read them too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/fields/fields.h"

namespace headlight::views::heads {

struct State {
  std::string picture = "heatmap";  // heatmap, dots, arcs, neuron
  std::string together = "side";    // how several heads are shown: side, overlay, mean, max, rollout
  std::string order = "model";      // the thumbnails' order: model, entropy, distance, pattern, role, cells
  std::string filter;               // a pattern's name or a role's id; empty: all
  double arc_share = 0.0;           // the share of each row's weight that arcs show; 0: chosen by the number of arcs
  double thumbnail = 0;             // side of a thumbnail in points; 0: as large as all fit but legible; -1: as all fit
  std::vector<std::string> cells;   // by which the order "cells" sorts, as "query,key": the mean of the weights on them
  std::int64_t first_layer = -1, last_layer = -1;  // the layers whose thumbnails are shown; -1: all
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::heads
