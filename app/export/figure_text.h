// Text in figure files: Pango shapes and measures it, in any script that an installed font has.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/base/figure.h"

typedef struct _cairo cairo_t;  // NOLINT: as cairo.h declares it

namespace headlight::figures {

// The families of a font in CSS syntax, first choice first; browsers substitute missing families. A `family` that is not empty
// stands before them.
// css_families(Font::words, "Lato") gives "'Lato', Inter, 'Noto Sans', 'DejaVu Sans', sans-serif".
std::string css_families(Font font, const std::string& family = {});

// Whether a font of this family is installed, whatever the case of the letters; serif, sans-serif and monospace always are.
bool has_family(const std::string& family);
// The families that are installed, sorted.
std::vector<std::string> installed_families();

// Valid UTF-8 without control characters: each control character becomes its symbol (U+2400...), invalid bytes the replacement
// character.
std::string printable(std::string_view text);

class FigureText final : public TextMeasure {
 public:
  // Measures and draws text in `family` (Figure::family), or in the program's own fonts if `family` is empty.
  explicit FigureText(const std::string& family = {});
  ~FigureText() override;

  float width(std::string_view text, float size, Font font) const override;
  float line_height(float size, Font font) const override;
  // Points from the top of the line to its baseline, in the font itself and not in a fallback font, so that labels in different
  // scripts share one baseline. ascent(15, Font::mono) gives the ascent of a token's label.
  float ascent(float size, Font font) const;
  // The text or, if it is wider than `most` points, its beginning (whole graphemes) with an ellipsis.
  // fitted("attention", 13, Font::words, 500) gives "attention"; with 40 instead of 500 it gives a beginning and "…".
  std::string fitted(std::string_view text, float size, Font font, float most) const;
  // Draws one line that begins at (x, baseline), in cairo's current colour and scale.
  // draw(cairo, "query", 13, Font::words, 20, 40) draws "query" with its baseline 40 points below the origin.
  void draw(cairo_t* cairo, std::string_view text, float size, Font font, double x, double baseline) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight::figures
