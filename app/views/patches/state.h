// The saved state of the Patches view, and its settings.
#pragma once

#include <cstdint>
#include <string>

#include "app/fields/fields.h"

namespace headlight::views::vision {

struct State {
  std::string picture;             // a PNG file; empty: the bundled picture
  std::string page = "attention";  // "token", "positions", "attention", "caption"
  std::int64_t side = 16;          // a patch's side in pixels
  std::int64_t d_model = 64, heads = 4, seed = 0;
  bool positions = true;              // each patch carries its row and column
  std::int64_t patch = -1, key = -1;  // indices of the query patch and of the pinned key; -1: the middle patch, no key
  std::int64_t head = 0;
  std::int64_t region = 2;  // a side of a caption's regions, in patches
  std::int64_t word = 0;    // the caption's selected word
  bool operator==(const State&) const = default;

  void fields(Fields& field);
};

}  // namespace headlight::views::vision
