// The contents of the Values tab for one row of attention, as inputs of the layouts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/charts/curves.h"
#include "app/figures/charts/stacked_bar.h"
#include "app/figures/charts/strips.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "engine/insight/row_sum.h"

namespace headlight::panels {

// The query that the tab shows: that of the chip under the mouse, or of the cell if `follows_cells`, else the pinned one, else
// the strongest cell's.
std::int64_t chosen_query(const Context& context, const AttentionChoice& choice, bool follows_cells = true);

// Keeps the row until another one is chosen: pins it at its strongest key, so that the inspector shows the same row.
void pin_row(Context& context, const RowSum& row);

// Null while it is being computed (long texts: in the background) or after an error, which is then in `error`.
std::shared_ptr<const RowSum> row_of(const Context& context, const AttentionChoice& choice, std::int64_t query,
                                     const Error** error);
std::shared_ptr<const Movement> movement_of(const Context& context, const AttentionChoice& choice, std::int64_t query);

figures::StackedBarInput bar_input(const Context& context, const AttentionChoice& choice, const RowSum& row);
inline constexpr float kStrip = 20;  // the height of one vector
// At most `most` keys have their own lines, the strongest; the others are combined.
figures::StripsInput sum_input(const Context& context, const AttentionChoice& choice, const RowSum& row, std::size_t most);
figures::StripsInput vectors_input(const Context& context, const AttentionChoice& choice, const RowSum& row);
// The row's softmax at scale 1, at 1/sqrt(d_k), and at the document's scale.
figures::CurvesInput scale_input(const Context& context, const AttentionChoice& choice, const RowSum& row);
figures::CurvesInput movement_input(const Context& context, const AttentionChoice& choice, std::int64_t query,
                                    const Movement& movement);

// The parts of a row that have their own lines, in order of keys.
std::vector<std::size_t> strongest_parts(const RowSum& row, std::size_t most);

std::string query_name(const Context& context, const AttentionChoice& choice, std::int64_t query);

}  // namespace headlight::panels
