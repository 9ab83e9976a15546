// Stacked bars: the shares of several parts in a total. There is one bar per quantity; a part has the same hue in all bars.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct StackedBarInput {
  struct Part {
    std::string label;
    int hue = 0;             // index into Theme::hues
    std::int64_t index = 0;  // for the part's tag: {Tag::column, index}
  };
  struct Bar {
    std::string label;           // "weight"
    std::string total;           // "Σ = 1.00"
    std::vector<double> values;  // one per part; negative ones extend to the left of the zero line
  };
  std::vector<Part> parts;
  std::vector<Bar> bars;  // each bar has the full width: its parts are shares of its own absolute sum
  std::string title, note;
  std::string rest_words = "{} others";  // for parts too small to be seen, drawn together in grey at the end
  std::int64_t hot = -1;                 // the highlighted index
};
// `width` points wide, at least 160, and as high as its bars. data: [bar, part].
// stacked_bar(input, 480, theme, measure) draws input.bars below each other.
Figure stacked_bar(const StackedBarInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
