// What a test sees of the texts on the screen.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "imgui.h"

namespace headlight::gl {

struct DrawnText {
  std::string text;
  float size = 0;  // points of the em square, at scale 1
  figures::Font font = figures::Font::words;
  // Where it stands, in pixels, before its turn about the pivot; and what of the window shows.
  ImVec2 low, high, clip_low, clip_high;
  float degrees = 0;
  ImVec2 pivot;
  bool shortened = false;  // an ellipsis took the place of its end
  std::string window;      // of ImGui, into which it is drawn
  ImVec2 scrolls;          // how far that window, or one that it is part of, can be scrolled
  bool floats = false;     // in a popup, a tooltip or above everything
};

}  // namespace headlight::gl
