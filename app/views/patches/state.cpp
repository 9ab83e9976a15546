#include "app/views/patches/state.h"

namespace headlight {

StateKind patches_state() { return state_kind<views::vision::State>("patches"); }

namespace views::vision {

void State::fields(Fields& field) {
  constexpr double kMost = 16777216.0;
  field({"picture", "patches_picture", kUndone}, picture);
  field({"page", "patches_page"}, page);
  field({"side", "patches_side", kUndone}, side, 1, 4096);
  field({"d_model", "patches_d_model", kUndone}, d_model, 4, 4096);
  field({"heads", "patches_heads", kUndone}, heads, 1, 64);
  field({"seed", "patches_seed", kUndone}, seed, 0, 9e15);
  field({"positions", "patches_positions", kUndone}, positions);
  field({"patch", "patches_patch"}, patch, -1, kMost);
  field({"key", "patches_key"}, key, -1, kMost);
  field({"head", "patches_head"}, head, 0, 63);
  field({"region", "patches_region", kUndone}, region, 1, 4096);
  field({"word", "patches_word"}, word, 0, 255);
}

}  // namespace views::vision
}  // namespace headlight
