// The saved state of the Heads tab.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct HeadsView {
  std::string picture = "heatmap";   // heatmap, dots, arcs, neuron
  std::vector<HeadRef> chosen;       // the pinned heads; empty: only the head that ViewState::layer and head name
  std::string together = "side";     // how several heads are shown: side, overlay, mean, rollout
  std::string order = "model";       // the thumbnails' order: model, entropy, distance, pattern, role, cells
  std::string filter;                // a pattern's name or a role's id; empty: all
  double arc_share = 0.0;            // the share of each row's weight that arcs show; 0: chosen by the number of arcs
  std::string row_word = "written";  // the word that names a row of cross-attention: the one that is written, or has been read
  double thumbnail = 0;              // side of a thumbnail in points; 0: as large as all fit but legible; -1: as all fit
  std::vector<std::string> cells;    // by which the order "cells" sorts, as "query,key": the mean of the weights on them
  std::int64_t first_layer = -1, last_layer = -1;  // the layers whose thumbnails are shown; -1: all
  bool operator==(const HeadsView&) const = default;
};
const ViewSchema<HeadsView>& heads_view_schema();

}  // namespace headlight
