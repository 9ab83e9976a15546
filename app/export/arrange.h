// Draws a picture in a figure style (FigureStyle): without the hidden parts, at the exact size, in the chosen type and on the
// chosen background.
#pragma once

#include <functional>
#include <string>

#include "app/figures/attention/matrix_choices.h"
#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"
#include "app/files/figure_style.h"
#include "engine/core/status.h"

namespace headlight::figures {

// The room and the means to draw a picture.
struct MakeInput {
  float width = 0, height = 0;  // the picture's room, in points
  MatrixChoices matrix;
  const Theme& theme;
  const TextMeasure& measure;
};
using MakeFigure = std::function<Result<Figure>(const MakeInput&)>;

struct Arrangement {
  float width = 0, height = 0;  // the room if the style chooses no size, in points
  int dpi = 96;                 // pixels an inch of a PNG, so that --width 600px means 600 pixels; 96 for other files
  // Whether the picture fills any room well, as a matrix does. Other pictures are drawn in width x height and then scaled.
  bool fills = true;
  // Whether a picture that leaves labels out also says which option of the command shows all of them. The sizes are tried before
  // one is named.
  bool advises = false;
};

// The theme that draws the figure: `theme`, with a white page for Ground::white. Errors (usage): Ground::white with a theme whose
// text has a contrast below 4.5 on white.
// theme_on(light, Ground::white) gives the light theme with white background and panel; theme_on(dark, Ground::white) fails.
Result<Theme> theme_on(const Theme& theme, Ground ground);

// Draws the picture up to six times, each time in a room that is closer to the style's size. A smaller picture stands in the
// middle of that size. `theme` comes from theme_on(). Errors: errors of `make`; (usage) a font family that is not installed, a
// cell size for a picture that does not fill any room.
// arranged(make, style, {900, 820}, theme) with style.width of 84 mm gives a figure 317.5 points wide.
Result<Figure> arranged(const MakeFigure& make, const FigureStyle& style, const Arrangement& arrangement, const Theme& theme);

// The parts that a style shows, and its choices for a matrix. choices_of() leaves the sizes of cells to arranged().
struct ShownParts parts_of(const FigureStyle& style);
MatrixChoices choices_of(const FigureStyle& style);
// The unit of the first exact length among the style's width, height and cell, for FileOptions; Length::none if none is exact.
Length::Unit unit_of(const FigureStyle& style);

}  // namespace headlight::figures
