// Rows of symbols that a model learns from: pale what it is given, bright what it is asked for.
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
    bool asked = false;  // the model is to say it
  };
  std::vector<std::vector<Symbol>> rows;
};
// At most `width` points wide: of longer rows the beginning, with "…" at the end.
Figure example_rows(const ExampleRowsInput& input, float width, const Theme& theme, const TextMeasure& measure);

}  // namespace headlight::figures
