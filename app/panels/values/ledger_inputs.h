// The ledger of one token and the grid of one head, as the Values view computes them from a trace and hands them to the layouts.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "app/figures/values/ledger_figures.h"
#include "app/panels/shared/attention_choice.h"
#include "app/panels/shared/panel.h"
#include "engine/insight/layer_ledger.h"

namespace headlight::panels {

// One token in one layer of a stack, and the attention whose head is in the grid.
struct LedgerPlace {
  AttentionChoice choice;
  std::string stack;  // "", "encoder.", "decoder."
  std::int64_t query = 0;
  std::int64_t layer() const { return choice.site->layer; }
};

// Null while it is being computed, or after an error, which is then in `error`.
std::shared_ptr<const LayerLedger> ledger_of(const Context& context, const LedgerPlace& place, std::string* error);
std::shared_ptr<const WeightedValues> grid_of(const Context& context, const LedgerPlace& place, std::string* error);

figures::LedgerInput ledger_input(const Context& context, const LedgerPlace& place, const LayerLedger& ledger);
// The number of the row in the ledger, -1: none.
std::int64_t row_of_head(const LayerLedger& ledger, const std::string& prefix, std::int64_t head);
// Of all keys and queries; fit_grid() chooses those that fit.
figures::WeightedGridInput grid_input(const Context& context, const LedgerPlace& place, const LayerLedger& ledger,
                                      const WeightedValues& values);
void fit_grid(figures::WeightedGridInput& input, const figures::GridRoom& room);
// `dimension`: counted from the grid's first one. Of the strongest `most` keys each has a row.
figures::DimensionSumInput dimension_input(const Context& context, const LedgerPlace& place, const WeightedValues& values,
                                           std::int64_t dimension, std::size_t most);
// The dimension that is written out, counted from the grid's first one.
std::int64_t shown_dimension(const Context& context, const LedgerPlace& place, const WeightedValues& values);

}  // namespace headlight::panels
