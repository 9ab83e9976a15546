// The picture of two replacements for a masked score: one row of attention under -inf and under -1e9, with the softmax of each,
// side by side.
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
// Replaces masked scores by `fill` and takes the softmax of scores / temperature over the keys. If all scores are -inf, all
// weights are zero, as the engine defines them (the formula would give 0 / 0). visible: one per key, 1 = may attend.
// fill_row({2, 3}, {1, 0}, -inf, 1) gives the masked scores {2, -inf}, the weights {1, 0} and the sum 1.
FilledRow fill_row(const std::vector<double>& scaled, const std::vector<std::uint8_t>& visible, double fill, double temperature);

struct MaskFillInput {
  std::string query;              // "·creature"
  std::vector<std::string> keys;  // the keys' labels
  std::vector<double> scaled;
  std::vector<std::uint8_t> visible;
  double temperature = 1;
  int chosen = 0;  // the document's replacement: 0 = -inf, 1 = -1e9
  std::string title;
  std::string key_word = "key", score_word = "scaled score", masked_word = "masked score", weight_word = "weight",
              sum_word = "sum";
  std::string words[2];  // the effect of each replacement on this row, in words
  std::vector<std::string> notes;
  std::int64_t hot_key = -1;
  std::string more;            // "and more keys", shown if not all keys fit
  std::size_t least_keys = 1;  // this many keys are shown even if the room is too low
};
constexpr float kLeastBeside = 572;  // points of width that both halves need side by side
// `width` points wide and at most `height` high, unless `least_keys` need more. In a narrower room than kLeastBeside the halves
// are below each other. Words name the keys that do not fit. mask_fill(input, 640, 400, theme, measure) shows both halves side by
// side.
Figure mask_fill(const MaskFillInput& input, float width, float height, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
