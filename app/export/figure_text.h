// Text of figure files: shaped and measured by Pango, in any script that a font on this machine has.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "app/figures/base/figure.h"

typedef struct _cairo cairo_t;  // NOLINT: as cairo.h declares it

namespace headlight::figures {

// The families of a font, first choice first, as CSS writes them; fontconfig and browsers go on from there.
const char* css_families(Font font);

// Valid UTF-8 without control characters: those become their pictures (U+2400...), broken bytes the replacement character.
std::string printable(std::string_view text);

class FigureText final : public TextMeasure {
 public:
  FigureText();
  ~FigureText() override;

  float width(std::string_view text, float size, Font font) const override;
  float line_height(float size, Font font) const override;
  // From the top of the line to its baseline, of the font itself and not of what a fallback brings: labels in different scripts
  // stand on one line.
  float ascent(float size, Font font) const;
  // The text, or its beginning (whole graphemes) with an ellipsis, not wider than `most`.
  std::string fitted(std::string_view text, float size, Font font, float most) const;
  // Draws one line; (x, baseline) is where it begins, at cairo's current colour and scale.
  void draw(cairo_t* cairo, std::string_view text, float size, Font font, double x, double baseline) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight::figures
