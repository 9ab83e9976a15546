// How masks of different shapes become one: each at its own small shape, repeated to the full one, combined by AND, and laid over
// every head. A dimension of size 1 is one row, column or slab that is used again.
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
    bool widens = false;         // gives back what sparse patterns forbid, instead of forbidding
    Shape shape;                 // as it was made: [1, 1, N, M], [B, 1, 1, M]
    Tensor cells;                // u8 [1 or N, 1 or M] of the shown sentence, reduced; 1 = may attend
    std::int64_t row_block = 1;  // each cell stands for so many; it may attend if one of them may
    std::int64_t column_block = 1;
  };
  std::vector<Part> parts;  // empty: no mask applies
  Part applied;             // their AND
  Shape full;               // [B, H, N, M]
  float progress = 1;       // 0..1: how far the repeating has come
};

// Of an attention's masks, for one sentence. The cells are reduced to at most `limit` a side.
Broadcast broadcast_of(const masks::Combined& combined, std::int64_t batch, const Shape& full, std::int64_t limit = 16);

// As wide as `width`; each mask on a line of its own, `tile` points high.
Figure broadcast(const Broadcast& input, float width, float tile, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
