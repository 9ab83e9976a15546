// A text on the screen, as tests see it.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "imgui.h"

namespace headlight::gl {

struct DrawnText {
  std::string text;
  float size = 0;  // points of the em square, at scale 1
  figures::Font font = figures::Font::words;
  // Its box in pixels, before rotation about the pivot; and the visible part of the window.
  ImVec2 low, high, clip_low, clip_high;
  float degrees = 0;
  ImVec2 pivot;
  bool shortened = false;  // its end was replaced by an ellipsis
  std::string window;      // the ImGui window it is drawn into
  ImVec2 scrolls;          // how far that window, or one that contains it, can be scrolled
  bool floats = false;     // in a popup, a tooltip or above everything
};

}  // namespace headlight::gl
