// ImGui's style from the theme and the scale: 8 px grid, radius 6 to 10, one-pixel lines, no shadows.
#pragma once

#include "app/figures/base/theme.h"
#include "app/gl/fonts.h"

namespace headlight::ui {

// Sizes of text in points, at scale 1.
inline constexpr float kTitle = 20, kHeading = 17, kBody = 15, kToken = 16, kSmall = 13;

// Sets ImGui's style and its colours. apply_style(theme, fonts, 2) makes every size twice as large as at scale 1.
void apply_style(const figures::Theme& theme, const gl::Fonts& fonts, float scale);

}  // namespace headlight::ui
