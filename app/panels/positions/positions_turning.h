// Rotary positions in the Positions tab: one pair of dimensions of a query and a key of the shown head, before and after their
// rotation.
#pragma once

#include "app/ui/widgets.h"
#include "app/views/base/context.h"

namespace headlight::views {

// draw_turned_pair(context, look, 400, 400) draws the pair that the view's dimensions name.
void draw_turned_pair(Context& context, const ui::Look& look, float width, float height);  // in points
// The pair for a file; a figure without items if the shown attention rotates nothing, or while its numbers are being computed.
// turned_pair_figure(context, 400, 400) is 400 points wide.
figures::Figure turned_pair_figure(const Context& context, float width, float height);
// The address of the first number of the shown pair of the shown query after its rotation; empty if there is none.
ValueAddress turned_number(const Context& context);

}  // namespace headlight::views
