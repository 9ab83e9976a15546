// The colours by role (the design's table), and the colour maps. Window and files share both.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/base/figure.h"
#include "engine/core/registry.h"

namespace headlight::figures {

struct Theme {
  std::string id, label, formula, source;  // "dark", ...
  Color background, panel, raised, line;
  Color text, secondary, faint;
  Color selected;  // amber: only for what is selected, hovered or current
  Color info, good, wrong;
  Color signed_low, signed_middle, signed_high;
  Color masked, masked_hatch;  // background and colour of the diagonal hatching
  std::array<Color, 12> hues;  // tokens and heads
};
const Registry<Theme>& themes();  // dark, light, contrast, contrast_light

struct Colormap {
  std::string id, label, formula, source;
  bool is_signed = false;
  Color (*at)(float t, const Theme& theme);  // t in [0, 1]
};
const Registry<Colormap>& colormaps();  // viridis, magma, cividis, signed

// Relative luminance contrast of two opaque colours (WCAG 2.1), 1..21. contrast(rgb(0x000000), rgb(0xffffff)) is 21.
double contrast(Color a, Color b);
// Dark or light ink, whichever has more contrast on `behind`.
Color ink_on(Color behind);

}  // namespace headlight::figures
