// Rotary positions in the Positions tab: one pair of dimensions of a query and of a key of the shown head, as they turn.
#pragma once

#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

void draw_turned_pair(Context& context, const ui::Look& look, float width, float height);  // in points
// Without items: the shown attention turns nothing, or its numbers are being computed.
figures::Figure turned_pair_figure(const Context& context, float width, float height);
// The first number of the shown pair of the shown query after it was turned; empty: there is none.
ValueAddress turned_number(const Context& context);

}  // namespace headlight::panels
