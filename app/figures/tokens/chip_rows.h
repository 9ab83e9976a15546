// Token chips: the piece above, its id below, one hue per token. At most a few rows; what does not fit is counted.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct Chip {
  std::string text;  // display text: whitespace is visible, bytes of partial characters are hexadecimal
  std::string id;
  int hue = 0;
  bool unknown = false;
  bool hot = false;
};
struct ChipRowsInput {
  std::vector<Chip> chips;
  std::string lead;        // quiet text before the first chip: "target"; empty: none
  std::int64_t total = 0;  // number of all chips, if more than given; the rest is shown as "+N"
  int rows = 2;            // at most
  bool slim = false;       // thin chips without ids, for a projector, where the picture needs the height
  std::int64_t line = 0;   // tag.b of every chip; tag.a is the chip's index
};
inline constexpr float kChipHeight = 40, kSlimChip = 26, kChipId = 12;
// As wide as `width`, as high as its rows (without chips: one row with the lead only).
Figure chip_rows(const ChipRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);

// One chip; all layouts that draw tokens use it. `hot` highlights it in amber.
void add_chip(Figure& figure, const Box& box, const Chip& chip, float text_size, const Theme& theme, const TextMeasure& measure,
              Tag tag);

}  // namespace headlight::figures
