// The ledger of one token and the grid of one head: computed from a trace for the Values view, and as inputs of the layouts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/views/base/attention_choice.h"
#include "app/views/base/context.h"
#include "app/views/values/ledger_picture.h"
#include "engine/insight/layer_ledger.h"

namespace headlight::views::values {

// One token in one layer of a stack, and the attention whose head the grid shows.
struct LedgerPlace {
  AttentionChoice choice;
  std::string stack;  // "", "encoder.", "decoder."
  std::int64_t query = 0;
  std::int64_t layer() const { return choice.site->layer; }
};

// Both are null while they are being computed, and after an error, which is then in `error`.
// ledger_of(context, {choice, "decoder.", 2}, &error) is the ledger of the decoder's token 2.
std::shared_ptr<const LayerLedger> ledger_of(const Context& context, const LedgerPlace& place, std::string* error);
std::shared_ptr<const WeightedValues> grid_of(const Context& context, const LedgerPlace& place, std::string* error);

// ledger_input(context, place, *ledger).rows has a line for each row of the ledger.
figures::LedgerInput ledger_input(const Context& context, const LedgerPlace& place, const LayerLedger& ledger);
// The index of a head's row in the ledger; -1: none.
// row_of_head(*ledger, "decoder.layer.0.", 1) is the row of head 1.
std::int64_t row_of_head(const LayerLedger& ledger, const std::string& prefix, std::int64_t head);
// The grid over all keys and queries, and its reduction to those that fit into the room.
// fit_grid(input, room) shortens the lists input.shown_queries and input.shown_keys of grid_input(context, place, *ledger,
// *values).
figures::WeightedGridInput grid_input(const Context& context, const LedgerPlace& place, const LayerLedger& ledger,
                                      const WeightedValues& values);
void fit_grid(figures::WeightedGridInput& input, const figures::GridRoom& room);
// The sum of one dimension, written out. `dimension` counts from the grid's first dimension. Each of the `most` strongest keys
// has a row.
// dimension_input(context, place, *values, 0, 6) has a row for each of the six strongest keys.
figures::DimensionSumInput dimension_input(const Context& context, const LedgerPlace& place, const WeightedValues& values,
                                           std::int64_t dimension, std::size_t most);
// The dimension that is written out, counted from the grid's first dimension.
// shown_dimension(context, place, *values) is 0 for the grid's first dimension.
std::int64_t shown_dimension(const Context& context, const LedgerPlace& place, const WeightedValues& values);

}  // namespace headlight::views::values
