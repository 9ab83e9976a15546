// The ledger's sum as arrows in a plane: what is added to a token, one arrow behind the other, from what was there to what is.
#pragma once

#include "app/views/values/ledger_picture.h"

namespace headlight::figures {

// One arrow of the chain, in the plane's two directions.
struct PlaneArrow {
  std::size_t row = 0;  // index of LedgerInput::rows
  double x0 = 0, y0 = 0, x1 = 0, y1 = 0;
  bool total = false;  // from the origin: E before, E after
};
struct LedgerPlane {
  std::vector<PlaneArrow> arrows;  // in the ledger's order; empty: the rows are no sum that begins at E
  double share = 0;                // of the added vectors' squared length, that lies in the plane
};
// The plane that E before and E after span, both of which lie in it whole; a projection keeps sums, so that the chain ends at E
// after. Where both are parallel, the longest added vector spans it with E.
// ledger_plane_of(input).arrows.back() ends where the arrow before it ends.
LedgerPlane ledger_plane_of(const LedgerInput& input);

// Exactly `width` x `height` points; the longest arrows are named, all are tagged {Tag::row, index}. data: "arrows" [arrow, 4].
// ledger_plane(input, 480, 360, theme, measure) draws ledger_plane_of(input).
Figure ledger_plane(const LedgerInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
