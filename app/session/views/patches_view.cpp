#include "app/session/views/patches_view.h"

namespace headlight {

const ViewSchema<PatchesView>& patches_view_schema() {
  using View = PatchesView;
  constexpr double kMost = 16777216.0;
  static const ViewSchema<View> schema = {
      {"picture", "patches_picture", &View::picture},       {"page", "patches_page", &View::page},
      {"side", "patches_side", &View::side, 1, 4096},       {"d_model", "patches_d_model", &View::d_model, 4, 4096},
      {"heads", "patches_heads", &View::heads, 1, 64},      {"seed", "patches_seed", &View::seed, 0, 9e15},
      {"positions", "patches_positions", &View::positions}, {"patch", "patches_patch", &View::patch, -1, kMost},
      {"key", "patches_key", &View::key, -1, kMost},        {"head", "patches_head", &View::head, 0, 63},
      {"region", "patches_region", &View::region, 1, 4096}, {"word", "patches_word", &View::word, 0, 255},
  };
  return schema;
}

}  // namespace headlight
