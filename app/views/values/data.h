// The data of the Values view for one row of attention, and as inputs of the layouts.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "app/figures/charts/curves.h"
#include "app/figures/charts/stacked_bar.h"
#include "app/figures/charts/strips.h"
#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "engine/insight/row_sum.h"

namespace headlight::views::values {

// Keeps the row until another one is chosen: pins it at its strongest key, so that the inspector shows the same row.
// pin_row(context, *row) sets view.pinned_row to row->query.
void pin_row(const Context& context, const RowSum& row);
// The key that is lit in the row: the hovered one, else the pinned one unless a chip is under the mouse; -1: none.
std::int64_t hot_key(const Context& context);

// Both are null while they are being computed (in the background for long texts), and after an error, which is then in `error`.
// row_of(context, choice, 2, &error)->parts has a part for each key of query 2.
std::shared_ptr<const RowSum> row_of(const Context& context, const AttentionChoice& choice, std::int64_t query,
                                     const Error** error);
std::shared_ptr<const Movement> movement_of(const Context& context, const AttentionChoice& choice, std::int64_t query);

// bar_input(context, choice, *row) has a bar's part for each key.
figures::StackedBarInput bar_input(const Context& context, const AttentionChoice& choice, const RowSum& row);
inline constexpr float kStrip = 20;  // the height in points of one vector
// The sum of weighted values. At most `most` lines: one for each of the strongest keys, and one for all others together.
// sum_input(context, choice, *row, 8) has eight lines for a row of twelve keys: seven keys and the other five.
figures::StripsInput sum_input(const Context& context, const AttentionChoice& choice, const RowSum& row, std::size_t most);
figures::StripsInput vectors_input(const Context& context, const AttentionChoice& choice, const RowSum& row);
// The row's softmax at scale 1, at 1/sqrt(d_k), and at the document's scale.
// scale_input(context, choice, *row) has the keys along its x axis.
figures::CurvesInput scale_input(const Context& context, const AttentionChoice& choice, const RowSum& row);
// movement_input(context, choice, 2, *movement) shows how token 2 moves from layer to layer.
figures::CurvesInput movement_input(const Context& context, const AttentionChoice& choice, std::int64_t query,
                                    const Movement& movement);

// The indices of the row's parts that have lines of their own, in the order of the keys.
// strongest_parts(row, 8) gives seven of twelve parts, because the eighth line is for all the others; all of eight or fewer.
std::vector<std::size_t> strongest_parts(const RowSum& row, std::size_t most);

// query_name(context, choice, 2) is the label of row 2, such as "fluffy".
std::string query_name(const Context& context, const AttentionChoice& choice, std::int64_t query);

}  // namespace headlight::views::values
