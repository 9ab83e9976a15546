// What a test sees of the texts on the screen.
#pragma once

#include <string>

#include "app/figures/figure.h"

namespace headlight::gl {

struct DrawnText {
  std::string text;
  float size = 0;  // points of the em square, at scale 1
  figures::Font font = figures::Font::words;
};

}  // namespace headlight::gl
