// The token chips under the pickers.
#pragma once

#include "app/views/base/context.h"

namespace headlight::window {

// Draws them at ImGui's cursor.
void draw_chips(views::Context& context);
// The points that they take where there are `width` points of room. chips_height(context, 900) is the height of one or two rows.
float chips_height(const views::Context& context, float width);

}  // namespace headlight::window
