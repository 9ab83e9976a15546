// The heading above a part of a view.
#pragma once

#include <string>

#include "app/ui/widgets.h"

namespace headlight::views {

// Draws the heading, and quiet words behind it if they fit into `width` points.
// draw_heading(look, "Logit lens", "the top word after each layer", 600);
void draw_heading(const ui::Look& look, const std::string& words, const std::string& quiet, float width);

}  // namespace headlight::views
