// How the Heads tab is looked at.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct HeadsView {
  std::string picture = "heatmap";  // heatmap, dots, arcs, neuron
  std::vector<HeadRef> chosen;      // shown together; empty: the one that ViewState::layer and head name
  std::string together = "side";    // how several are shown: side, overlay, mean, rollout
  std::string order = "model";      // the thumbnails: model, entropy, distance, pattern, role
  std::string filter;               // a pattern's name or a role's id; empty: all
  double arc_share = 0.0;           // share of each row's weight that arcs show; 0: as crowded as it is
  std::string row_word = "read";    // what names a row of cross-attention: the word that its query has read, or written
  bool operator==(const HeadsView&) const = default;
};
const ViewSchema<HeadsView>& heads_view_schema();

}  // namespace headlight
