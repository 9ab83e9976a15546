// Rows of symbols that a model learns from: given symbols are pale, and symbols that the model must predict are bright.
#pragma once

#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct ExampleRowsInput {
  struct Symbol {
    std::string text;
    int hue = 0;         // index into Theme::hues
    bool asked = false;  // the model must predict this symbol
  };
  std::vector<std::vector<Symbol>> rows;
};
// `width` points wide; a longer row shows its beginning, with "…" at the end.
// example_rows(input, 480, theme, measure) shows input.rows below each other.
Figure example_rows(const ExampleRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
