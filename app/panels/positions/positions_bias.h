// Positions that add a number to each score: this bias for every query and key of the shown head, and by distance.
#pragma once

#include "app/figures/attention/layouts.h"
#include "app/figures/charts/curves.h"
#include "app/ui/widgets.h"
#include "app/views/base/context.h"

namespace headlight::views {

// Both are for a document whose positions are a bias on the scores.
figures::HeatmapInput bias_input(const Context& context);
figures::CurvesInput bias_curves_input(const Context& context);

// draw_bias(context, look, 600, 400) draws the matrix; draw_bias_curves(context, look, 600, 300) draws the bias by distance.
void draw_bias(Context& context, const ui::Look& look, float width, float height);  // in points
void draw_bias_curves(Context& context, const ui::Look& look, float width, float height);

// The address of the bias in the cell under the mouse, else for the last query and the first key; empty if the trace has none.
ValueAddress bias_number(const Context& context);

}  // namespace headlight::views
