// How pictures of a given size begin: their size, their ground and their title, which files keep as metadata.
#pragma once

#include <string>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

// `width` and `height` in points.
inline Figure begin_picture(const std::string& title, float width, float height, const Theme& theme) {
  Figure figure;
  figure.width = width;
  figure.height = height;
  figure.background = theme.background;
  figure.title = title;
  return figure;
}

}  // namespace headlight::figures
