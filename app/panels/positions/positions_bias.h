// Positions that are a number added to each score: that number for every query and key of the shown head, and by distance.
#pragma once

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/curves.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

// Both for a document whose positions are a bias on the scores.
figures::HeatmapInput bias_input(const Context& context);
figures::CurvesInput bias_curves_input(const Context& context);

void draw_bias(Context& context, const ui::Look& look, float width, float height);  // in points
void draw_bias_curves(Context& context, const ui::Look& look, float width, float height);

// The bias of the cell under the mouse, else of the last query and the first key; empty: the trace has none.
ValueAddress bias_number(const Context& context);

}  // namespace headlight::panels
