// A picture as a figure style wants it: without what is left out, at its exact size, in its type and on its ground.
#pragma once

#include <functional>
#include <string>

#include "app/figures/attention/matrix_choices.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/files/figure_style.h"
#include "engine/core/status.h"

namespace headlight::figures {

// What a picture is made with.
struct MakeInput {
  float width = 0, height = 0;  // its room, in points
  MatrixChoices matrix;
  const Theme& theme;
  const TextMeasure& measure;
};
using MakeFigure = std::function<Result<Figure>(const MakeInput&)>;

struct Arrangement {
  float width = 0, height = 0;  // the room without any choice, in points
  int dpi = 96;                 // of a PNG, whose pixels --width 600px counts; else 96
  // Whether the picture fills any room well, as a matrix does. A picture that does not is drawn in the room above and scaled.
  bool fills = true;
};

// The theme that the figure is drawn with: `theme` with a white page for Ground::white. Errors (usage): white with a theme of
// light words.
Result<Theme> theme_on(const Theme& theme, Ground ground);

// Draws the picture once or a few times, until it has the style's size to a thousandth of a point; a picture that is smaller
// stands in the middle. `theme` is one of theme_on(). Errors: `make`'s; (usage) a family of fonts that is not installed.
Result<Figure> arranged(const MakeFigure& make, const FigureStyle& style, const Arrangement& arrangement, const Theme& theme);

// The parts of a style, and what it chooses of a matrix; sizes of cells are arranged()'s.
struct ShownParts parts_of(const FigureStyle& style);
MatrixChoices choices_of(const FigureStyle& style);
// The unit of the style's size, for FileOptions.
Length::Unit unit_of(const FigureStyle& style);

}  // namespace headlight::figures
