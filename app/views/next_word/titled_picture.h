// Begins the pictures of the view Next word: sets the background, the width and, in files, the title.
#pragma once

#include <string>

#include "app/figures/base/compose.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// Returns the y below which the picture goes on: 30 points, or 0 without a title.
// begin_titled(figure, "", 480, theme, pen) gives 0.
inline float begin_titled(Figure& figure, const std::string& title, float width, const Theme& theme, const Composer& pen) {
  figure.width = width;
  figure.background = theme.background;
  figure.title = title;
  if (title.empty()) return 0;
  pen.text(0, 12, title, 17, Font::words_bold, theme.text, Align::start, width);
  return 30;
}

}  // namespace headlight::figures
