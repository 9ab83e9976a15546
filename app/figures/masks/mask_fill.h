// What replaces a masked score, and what the softmax makes of it: one row of attention under -inf and under -1e9, side by side.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct FilledRow {
  std::vector<double> masked, weights;  // one per key
  double sum = 0;                       // sum of the weights
};
// Replaces masked scores by `fill`, then softmax over the keys of scores / temperature. A row whose scores are all -inf is all
// zeros, as the engine defines it (the formula would give 0 / 0). visible: 1 = may attend.
FilledRow fill_row(const std::vector<double>& scaled, const std::vector<std::uint8_t>& visible, double fill, double temperature);

struct MaskFillInput {
  std::string query;              // "·creature"
  std::vector<std::string> keys;  // labels
  std::vector<double> scaled;
  std::vector<std::uint8_t> visible;
  double temperature = 1;
  int chosen = 0;  // the document's: 0 = -inf, 1 = -1e9
  std::string title;
  std::string key_word = "key", score_word = "scaled score", masked_word = "masked score", weight_word = "weight",
              sum_word = "sum";
  std::string words[2];  // the effect of each on this row, in words
  std::vector<std::string> notes;
  std::int64_t hot_key = -1;
  std::string more;            // "and more keys", shown if not all keys fit
  std::size_t least_keys = 1;  // this many are shown however low the room is
};
// In a narrow room its halves are below each other. It says what does not fit; only `least_keys` may make it higher than
// `height`.
constexpr float kLeastBeside = 572;  // points of width that both halves need side by side
Figure mask_fill(const MaskFillInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
