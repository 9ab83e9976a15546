// Relative positions with clipping: which row of the tables each query and key meet, the tables, and what they add to the scores.
#pragma once

#include <optional>
#include <string>

#include "app/figures/attention/layouts.h"
#include "app/panels/shared/panel.h"
#include "app/ui/widgets.h"

namespace headlight::panels {

bool has_relative_positions(const Document& document);

// clip(key - query, -k, k) of every query and key: the same along each diagonal, a Toeplitz matrix.
figures::HeatmapInput distances_input(const Context& context);
// One of the two tables of the chosen attention, [2 k + 1, d_k]; none: the trace has none there.
std::optional<figures::HeatmapInput> distance_rows_input(const Context& context, bool of_values);
// What the first table adds to the scores of the chosen head; none: nothing.
std::optional<figures::HeatmapInput> distance_scores_input(const Context& context);

// "distances", "rows" or "scores", in points; and the same for a file.
void draw_relative(Context& context, const ui::Look& look, const std::string& which, float width, float height);
figures::Figure relative_figure(const Context& context, const std::string& which, float width, float height);

// The clip, changed by steps.
void choose_clip(Context& context, const ui::Look& look);

// What is added to the score of the last query and the first key; empty: the trace has none.
ValueAddress relative_number(const Context& context);

}  // namespace headlight::panels
