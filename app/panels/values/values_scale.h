// The effect of scale and temperature on a row of attention, with controls that change them in the document.
#pragma once

#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"
#include "engine/insight/row_sum.h"

namespace headlight::panels {

// Draws the effect on one row, `width` points wide.
// draw_scale(context, look, choice, *row, 600);
void draw_scale(Context& context, const ui::Look& look, const AttentionChoice& choice, const RowSum& row, float width);

}  // namespace headlight::panels
