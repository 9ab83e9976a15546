// A text on the screen, recorded for tests.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "imgui.h"

namespace headlight::gl {

struct DrawnText {
  std::string text;
  float size = 0;  // points of the em square, at scale 1
  figures::Font font = figures::Font::words;
  // The text's box in pixels, before rotation about the pivot; and the visible part of the window.
  ImVec2 low, high, clip_low, clip_high;
  float degrees = 0;
  ImVec2 pivot;
  bool shortened = false;  // an ellipsis replaced the text's end
  std::string window;      // name of the ImGui window that holds the text
  ImVec2 scrolls;          // how far that window, or one that contains it, can be scrolled
  bool floats = false;     // the text is in a popup, in a tooltip or above all windows
};

}  // namespace headlight::gl
