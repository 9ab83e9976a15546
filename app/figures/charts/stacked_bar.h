// Stacked bars: what several parts add to a total. There is one bar per quantity; a part has the same hue in all bars.
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
    int hue = 0;             // of Theme::hues
    std::int64_t index = 0;  // of its tag: {Tag::column, index}
  };
  struct Bar {
    std::string label;           // "weight"
    std::string total;           // "Σ = 1.00"
    std::vector<double> values;  // one per part; negative ones extend to the left of the zero line
  };
  std::vector<Part> parts;
  std::vector<Bar> bars;  // each has the full width: its parts are shares of the bar's own absolute sum
  std::string title, note;
  std::string rest_words = "{} others";  // for parts too small to be seen, drawn together in grey at the end
  std::int64_t hot = -1;                 // the highlighted index
};
// Cut to its content, `width` wide. data: [bar, part].
Figure stacked_bar(const StackedBarInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
