// Which heads look like this? All heads in the order of the weight that they give some cells.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/cancel.h"
#include "engine/pipeline/trace.h"

namespace headlight {

struct MapCell {
  std::int64_t query = 0, key = 0;
  bool operator==(const MapCell&) const = default;
};
// cell_from_text("3,1") is query 3 and key 1; nothing for what is no cell.
std::optional<MapCell> cell_from_text(std::string_view text);
std::string text_of_cell(const MapCell& cell);

struct HeadAtCells {
  std::string prefix;  // AttentionSite::prefix
  std::int64_t layer = 0, head = 0;
  // The mean of the head's weights on the cells that its mask allows, none of the others counting; none: it allows none of them.
  std::optional<double> weight;
};
// One entry for each head of `sites`, in their order, for sentence `batch`. Errors: a cell that the maps lack, those of
// Trace::tile(); cancelled.
// heads_at_cells(trace, sites, 0, {{3, 1}}, {})[2].weight is the weight from query 3 to key 1 of the first layer's head 2.
Result<std::vector<HeadAtCells>> heads_at_cells(const Trace& trace, std::span<const AttentionSite> sites, std::int64_t batch,
                                                std::span<const MapCell> cells, const CancelToken& cancel);

}  // namespace headlight
