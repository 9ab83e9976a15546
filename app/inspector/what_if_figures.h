// The pictures of "what if": the words before and now, and the map of heads taken out one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/prediction_change.h"

namespace headlight::views {

// A list with one row a word: its probability before and now in percent, the change in points, and a bar. The bar's grey part
// stays, the blue part is lost, the orange part is gained. Rows are tagged {Tag::row, index}. `lit` is the row of the tracked
// word, -1: none. `changed` is false without an intervention, and each row then has one number only. `rows` is the largest number
// of words. data: [row, 2], before and now.
// change_list(change, true, 0, 8, 360, theme, measure) lists eight words and lights the first.
figures::Figure change_list(const PredictionChange& change, bool changed, std::int64_t lit, std::size_t rows, float width,
                            const figures::Theme& theme, const figures::TextMeasure& measure);

// The effect of each head on one word, in layers [first_layer, first_layer + layers).
struct HeadMap {
  std::int64_t layers = 0, heads = 0, first_layer = 0;
  std::vector<double> points;                  // by layer * heads + head: change in percentage points
  std::int64_t layer = -1, head = -1;          // the selected one, as an index; -1: none
  std::int64_t hot_layer = -1, hot_head = -1;  // the one under the mouse; -1: none
  bool low = false;                            // draws lower cells, for a place of little height
};
// Cells are tagged {Tag::thumbnail, layer, head}. data: [layer, head], in percentage points.
// head_map(map, 360, theme, measure) is 360 points wide.
figures::Figure head_map(const HeadMap& map, float width, const figures::Theme& theme, const figures::TextMeasure& measure);

// A share in percent, and a change in points: percent_text(0.713) is "71.3", points_text(0.4) is "+0.4".
std::string percent_text(double share);
std::string points_text(double points);

}  // namespace headlight::views
