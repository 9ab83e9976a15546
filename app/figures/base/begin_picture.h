// Begins a picture of a given size: sets the size, the background and the title, which files keep as metadata.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// A figure without items. begin_picture("Losses", 480, 240, theme) gives a figure of 480 x 240 points.
inline Figure begin_picture(const std::string& title, float width, float height, const Theme& theme) {
  Figure figure;
  figure.width = width;
  figure.height = height;
  figure.background = theme.background;
  figure.title = title;
  return figure;
}

}  // namespace headlight::figures
