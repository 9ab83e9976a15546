// Token chips: the piece above, its id below, one hue per token. Chips stand in a few rows; a number counts the chips that do not
// fit.
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
  bool added = false;  // a special or added token that the text names: square, with a double edge
};
struct ChipRowsInput {
  std::vector<Chip> chips;
  std::string lead;        // quiet text before the first chip: "target"; empty: none
  std::int64_t total = 0;  // number of all tokens, if `chips` holds only the first ones; the rest is shown as "+N"
  int rows = 2;            // the most rows
  bool slim = false;       // thin chips without ids, for a projector, where the picture needs the height
  std::int64_t line = 0;   // tag.b of every chip; tag.a is the chip's index
};
inline constexpr float kChipHeight = 40, kSlimChip = 26, kChipId = 12;
// `width` points wide, as high as its rows; without chips there is one row with the lead only.
// chip_rows(input, 640, theme, measure) of a few short tokens is 640 points wide and 40 high: one row.
Figure chip_rows(const ChipRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);

// Adds one chip, for every layout that draws tokens; text_size in points. Chip::hot highlights the chip in amber.
// add_chip(figure, {0, 0, 80, 40}, {"fox", "1204", 3}, 15, theme, measure, {Tag::token, 0}) adds the chip of "fox".
void add_chip(Figure& figure, const Box& box, const Chip& chip, float text_size, const Theme& theme, const TextMeasure& measure,
              Tag tag);

}  // namespace headlight::figures
