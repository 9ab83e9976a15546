// What scale and temperature do to a row of attention, with the controls that change them in the document.
#pragma once

#include "app/panels/attention_choice.h"
#include "app/panels/panel.h"
#include "app/window/widgets.h"
#include "engine/pipeline/row_sum.h"

namespace headlight::panels {

// `width` points wide.
void draw_scale(Context& context, const window::Look& look, const AttentionChoice& choice, const RowSum& row, float width);

}  // namespace headlight::panels
