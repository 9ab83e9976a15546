// How masks of different shapes are combined: each in its own small shape, repeated to the full shape, combined by AND, and
// applied to every head. A dimension of size 1 is one row, column or slab that is used repeatedly.
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
    bool widens = false;         // allows what sparse patterns forbid, instead of forbidding
    Shape shape;                 // the shape it was made in: [1, 1, N, M], [B, 1, 1, M]
    Tensor cells;                // u8 [1 or N, 1 or M] of the shown sentence, reduced; 1 = may attend
    std::int64_t row_block = 1;  // rows per cell; a cell may attend if one of its rows may
    std::int64_t column_block = 1;
  };
  std::vector<Part> parts;  // empty: no mask applies
  Part applied;             // their AND
  Shape full;               // [B, H, N, M]
  float progress = 1;       // 0..1: progress of the repetition
};

// For the masks of an attention and one sentence. The cells are reduced to at most `limit` a side.
Broadcast broadcast_of(const masks::Combined& combined, std::int64_t batch, const Shape& full, std::int64_t limit = 16);

// As wide as `width`; each mask on its own line, `tile` points high.
Figure broadcast(const Broadcast& input, float width, float tile, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
