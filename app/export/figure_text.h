// Text in figure files: Pango shapes and measures it, in any script that an installed font has.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "app/figures/base/figure.h"

typedef struct _cairo cairo_t;  // NOLINT: as cairo.h declares it

namespace headlight::figures {

// The families of a font in CSS syntax, first choice first; fontconfig and browsers substitute missing ones.
// `family` before them, if it is not empty.
std::string css_families(Font font, const std::string& family = {});

// Whether a font of this family is installed, in any case of its letters; serif, sans-serif and monospace always are.
bool has_family(const std::string& family);
// The families that are installed, sorted.
std::vector<std::string> installed_families();

// Valid UTF-8 without control characters: each control character becomes its symbol (U+2400...), invalid bytes the replacement
// character.
std::string printable(std::string_view text);

class FigureText final : public TextMeasure {
 public:
  // Of texts in `family` (Figure::family); empty: in the program's own fonts.
  explicit FigureText(const std::string& family = {});
  ~FigureText() override;

  float width(std::string_view text, float size, Font font) const override;
  float line_height(float size, Font font) const override;
  // From the top of the line to its baseline, in the font itself and not in a fallback font, so that labels in different scripts
  // share one baseline.
  float ascent(float size, Font font) const;
  // The text or, if it is wider than `most`, its beginning (whole graphemes) with an ellipsis.
  std::string fitted(std::string_view text, float size, Font font, float most) const;
  // Draws one line that begins at (x, baseline), in cairo's current colour and scale.
  void draw(cairo_t* cairo, std::string_view text, float size, Font font, double x, double baseline) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace headlight::figures
