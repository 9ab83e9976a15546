#include "app/figures/base/theme.h"

#include <algorithm>
#include <cmath>

#include "app/figures/base/colormap_tables.h"

namespace headlight::figures {
namespace {

Color between(Color a, Color b, float t) {
  return {a.r + (b.r - a.r) * t, a.g + (b.g - a.g) * t, a.b + (b.b - a.b) * t, a.a + (b.a - a.a) * t};
}

// NaN gets the grey of labels, which no colour map contains.
Color sequential(const ColormapTable& table, float t, const Theme& theme) {
  if (std::isnan(t)) return theme.faint;
  const float place = std::clamp(t, 0.0f, 1.0f) * 255;
  const auto below = std::min<std::size_t>(static_cast<std::size_t>(place), 254);
  return between(rgb(table[below]), rgb(table[below + 1]), place - static_cast<float>(below));
}

Color viridis(float t, const Theme& theme) { return sequential(kViridis, t, theme); }
Color magma(float t, const Theme& theme) { return sequential(kMagma, t, theme); }
Color cividis(float t, const Theme& theme) { return sequential(kCividis, t, theme); }
Color signed_map(float t, const Theme& theme) {
  if (std::isnan(t)) return theme.faint;
  const float x = std::clamp(t, 0.0f, 1.0f) * 2 - 1;
  return between(theme.signed_middle, x < 0 ? theme.signed_low : theme.signed_high, std::abs(x));
}

Theme dark() {
  Theme t;
  t.id = "dark";
  t.label = "Dark";
  t.formula = "For screens and projectors in a dim room";
  t.background = rgb(0x0e1014);
  t.panel = rgb(0x15181f);
  t.raised = rgb(0x1b1f28);
  t.line = rgb(0x2a2f3b);
  t.text = rgb(0xe8eaf0);
  t.secondary = rgb(0x98a1b3);
  t.faint = rgb(0x838da3);
  t.selected = rgb(0xffb454);
  t.info = rgb(0x6cb6ff);
  t.good = rgb(0x7fd88f);
  t.wrong = rgb(0xff7b72);
  t.signed_low = rgb(0x4a90e2);
  t.signed_middle = t.background;
  t.signed_high = rgb(0xff9650);
  t.masked = rgb(0x12151b);
  t.masked_hatch = rgb(0x2a2f3b);
  t.hues = {rgb(0xffb454), rgb(0x6cb6ff), rgb(0x7fd88f), rgb(0xff7b9c), rgb(0xc792ea), rgb(0x5ad4c8),
            rgb(0xe6d36a), rgb(0x9aa7ff), rgb(0xff9e64), rgb(0x8bd5ff), rgb(0xb8e986), rgb(0xf07fd0)};
  return t;
}

Theme light() {
  Theme t;
  t.id = "light";
  t.label = "Light";
  t.formula = "For paper and bright rooms";
  t.background = rgb(0xfbfbfa);
  t.panel = rgb(0xffffff);
  t.raised = rgb(0xf1f2f4);
  t.line = rgb(0xd9dce2);
  t.text = rgb(0x14171d);
  t.secondary = rgb(0x4d5563);
  t.faint = rgb(0x686f7d);
  t.selected = rgb(0x9a5000);
  t.info = rgb(0x1a5fd0);
  t.good = rgb(0x176e34);
  t.wrong = rgb(0xbf1f2b);
  t.signed_low = rgb(0x4a90e2);
  t.signed_middle = rgb(0xffffff);
  t.signed_high = rgb(0xff9650);
  t.masked = rgb(0xf1f2f4);
  t.masked_hatch = rgb(0xc6cbd4);
  t.hues = {rgb(0xa35c00), rgb(0x006cd7), rgb(0x267e36), rgb(0xde0038), rgb(0x9c3fda), rgb(0x207a71),
            rgb(0x7e6e15), rgb(0x4159ff), rgb(0xbd4700), rgb(0x0073b4), rgb(0x497b16), rgb(0xcb1898)};
  return t;
}

// For readers at a distance: black and white, and all quiet colours stronger. Hues are those of the base theme.
Theme high_contrast() {
  Theme t = dark();
  t.id = "contrast";
  t.label = "High contrast";
  t.formula = "Black and white, for the back of the room";
  t.background = rgb(0x000000);
  t.panel = rgb(0x0a0c10);
  t.raised = rgb(0x1a1e27);
  t.line = rgb(0x566073);
  t.text = rgb(0xffffff);
  t.secondary = rgb(0xd0d6e2);
  t.faint = rgb(0xb4bccb);
  t.info = rgb(0x8cc8ff);
  t.good = rgb(0x9be8a8);
  t.wrong = rgb(0xff9d96);
  t.signed_middle = t.background;
  t.masked = rgb(0x0a0c10);
  t.masked_hatch = rgb(0x566073);
  return t;
}

Theme high_contrast_light() {
  Theme t = light();
  t.id = "contrast_light";
  t.label = "High contrast, light";
  t.formula = "White and black, for a bright room and for print";
  t.background = rgb(0xffffff);
  t.raised = rgb(0xf1f2f4);
  t.line = rgb(0x868e9b);
  t.text = rgb(0x000000);
  t.secondary = rgb(0x2b313b);
  t.faint = rgb(0x454c59);
  t.selected = rgb(0x7a3d00);
  t.info = rgb(0x0b47a8);
  t.good = rgb(0x0c5626);
  t.wrong = rgb(0x9c1420);
  t.masked_hatch = rgb(0x868e9b);
  return t;
}

// WCAG 2.1: converts an sRGB channel to linear light.
double linear(float channel) {
  const auto c = static_cast<double>(channel);
  return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
}
double luminance(Color c) { return 0.2126 * linear(c.r) + 0.7152 * linear(c.g) + 0.0722 * linear(c.b); }

}  // namespace

const Registry<Theme>& themes() {
  static const Registry<Theme> list("theme", {dark(), light(), high_contrast(), high_contrast_light()});
  return list;
}

const Registry<Colormap>& colormaps() {
  static const Registry<Colormap> list(
      "colour map",
      {{"viridis", "viridis", "dark blue - green - yellow", "Smith, van der Walt, Firing 2015 (CC0)", false, viridis},
       {"magma", "magma", "black - purple - light yellow", "Smith, van der Walt, Firing 2015 (CC0)", false, magma},
       {"cividis", "cividis", "dark blue - grey - yellow", "Nunez, Anderton, Renslow 2018 (CC0)", false, cividis},
       {"signed", "signed", "blue below zero - orange above", "", true, signed_map}});
  return list;
}

double contrast(Color a, Color b) {
  const double x = luminance(a) + 0.05, y = luminance(b) + 0.05;
  return std::max(x, y) / std::min(x, y);
}

Color ink_on(Color behind) {
  // Pure black and white: no weaker inks reach 4.5:1 on every colour (sqrt(21) = 4.58 in the worst case).
  const Color dark_ink = rgb(0x000000), light_ink = rgb(0xffffff);
  return contrast(dark_ink, behind) >= contrast(light_ink, behind) ? dark_ink : light_ink;
}

}  // namespace headlight::figures
