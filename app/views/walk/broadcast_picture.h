// The picture of how masks of different shapes are combined: each mask in its own small shape, repeated to the full shape,
// combined by AND, and applied to every head. A dimension of size 1 is one row, column or slab that is used repeatedly.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/attention/masks/mask.h"

namespace headlight::figures {

struct Broadcast {
  struct Part {
    std::string name;            // "causal"
    bool widens = false;         // the mask allows cells that sparse patterns forbid, instead of forbidding cells
    Shape shape;                 // the shape that the mask was made in: [1, 1, N, M], [B, 1, 1, M]
    Tensor cells;                // u8 [1 or N, 1 or M] of the shown sentence, reduced; 1 = may attend
    std::int64_t row_block = 1;  // rows per cell; a cell may attend if one of its rows may
    std::int64_t column_block = 1;
  };
  std::vector<Part> parts;  // empty: no mask applies
  Part applied;             // the AND of all parts
  Shape full;               // [B, H, N, M]
  float progress = 1;       // 0..1: progress of the repetition
};

// The masks of an attention for one sentence. The cells are reduced to at most `limit` a side.
// broadcast_of(site.mask, 0, {1, 6, 10, 10}) gives one part for each mask, with at most 16 x 16 cells.
Broadcast broadcast_of(const masks::Combined& combined, std::int64_t batch, const Shape& full, std::int64_t limit = 16);

// `width` points wide; each mask is on its own line, `tile` points high.
// broadcast(input, 480, 72, theme, measure) shows the parts and, below them, the applied mask.
Figure broadcast(const Broadcast& input, float width, float tile, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
