// What the Patches view shows.
#pragma once

#include "app/session/views/view_schema.h"

namespace headlight {

struct PatchesView {
  std::string picture;             // a PNG file; empty: the bundled picture
  std::string page = "attention";  // "token", "positions", "attention", "caption"
  std::int64_t side = 16;          // pixels a side of a patch
  std::int64_t d_model = 64, heads = 4, seed = 0;
  bool positions = true;              // a patch is told its row and column
  std::int64_t patch = -1, key = -1;  // numbers of the query and of the pinned key; -1: the middle one, none
  std::int64_t head = 0;
  std::int64_t region = 2;  // patches a side of a caption's regions
  std::int64_t word = 0;    // of the caption
  bool operator==(const PatchesView&) const = default;
};
const ViewSchema<PatchesView>& patches_view_schema();

}  // namespace headlight
