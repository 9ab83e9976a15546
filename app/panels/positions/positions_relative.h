// Relative positions with clipping: the table row for each query and key, the tables, and their effect on the scores. Source:
// Shaw et al. 2018.
#pragma once

#include <optional>
#include <string>

#include "app/figures/attention/layouts.h"
#include "app/ui/widgets.h"
#include "app/views/base/context.h"

namespace headlight::views {

bool has_relative_positions(const Document& document);

// clip(key - query, -k, k) for every query and key: constant along each diagonal, a Toeplitz matrix.
figures::HeatmapInput distances_input(const Context& context);
// One of the two tables of the chosen attention, [2 k + 1, d_k]; none if the trace has no such table.
// distance_rows_input(context, true) is the table added to the values, and distance_rows_input(context, false) the one for the
// keys.
std::optional<figures::HeatmapInput> distance_rows_input(const Context& context, bool of_values);
// The numbers that the first table adds to the chosen head's scores; none if it adds nothing.
std::optional<figures::HeatmapInput> distance_scores_input(const Context& context);

// Draws "distances", "rows" or "scores" in `width` x `height` points; and the same for a file.
// draw_relative(context, look, "rows", 600, 400) draws the tables.
void draw_relative(Context& context, const ui::Look& look, const std::string& which, float width, float height);
figures::Figure relative_figure(const Context& context, const std::string& which, float width, float height);

// The control of the clip k.
// choose_clip(context, look) draws it at ImGui's cursor.
void choose_clip(Context& context, const ui::Look& look);

// The address of the number added to the score of the last query and the first key; empty if the trace has none.
ValueAddress relative_number(const Context& context);

}  // namespace headlight::views
