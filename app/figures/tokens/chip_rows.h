// Token chips: piece above, id below, one hue a token. At most a few rows; what does not fit is counted.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct Chip {
  std::string text;  // display text: whitespace visible, half characters as hex
  std::string id;
  int hue = 0;
  bool unknown = false;
  bool hot = false;
};
struct ChipRowsInput {
  std::vector<Chip> chips;
  std::string lead;        // quiet words before the first chip: "target"; empty: none
  std::int64_t total = 0;  // chips there are, if more than given; the rest is shown as "+N"
  int rows = 2;            // at most
  bool slim = false;       // thin chips without ids, for a projector where the picture needs the height
  std::int64_t line = 0;   // tag.b of every chip; tag.a is its index
};
inline constexpr float kChipHeight = 40, kSlimChip = 26, kChipId = 12;
// As wide as `width`, as high as its rows (0 chips: height of one row with the lead only).
Figure chip_rows(const ChipRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);

// One chip; shared with the other layouts that draw tokens. `hot` lights it in amber.
void add_chip(Figure& figure, const Box& box, const Chip& chip, float text_size, const Theme& theme, const TextMeasure& measure,
              Tag tag);

}  // namespace headlight::figures
