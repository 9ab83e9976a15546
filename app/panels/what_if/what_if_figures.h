// The pictures of "what if": the words before and now, and the map of heads taken out one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "engine/insight/prediction_change.h"

namespace headlight::panels {

// A row a word: its probability before and now in percent, the change in points, and a bar: what stays is grey, what is lost
// blue, what is gained orange. Rows are tagged {Tag::row, number}; `lit`: the row of the word that is followed, -1: none.
// `changed`: false where nothing intervenes, so that only one number is shown; `rows`: at most as many words. data: [row, 2].
figures::Figure change_list(const PredictionChange& change, bool changed, std::int64_t lit, std::size_t rows, float width,
                            const figures::Theme& theme, const figures::TextMeasure& measure);

struct HeadMap {
  std::int64_t layers = 0, heads = 0, first_layer = 0;
  std::vector<double> points;                  // by layer * heads + head: change in percentage points
  std::int64_t layer = -1, head = -1;          // selected, as an index
  std::int64_t hot_layer = -1, hot_head = -1;  // under the mouse
  bool low = false;                            // there is little height
};
// Cells are tagged {Tag::thumbnail, layer, head}. data: [layer, head].
figures::Figure head_map(const HeadMap& map, float width, const figures::Theme& theme, const figures::TextMeasure& measure);

// "71.3", "+0.4", "-49.0": a share in percent, a change in points.
std::string percent_text(double share);
std::string points_text(double points);

}  // namespace headlight::panels
