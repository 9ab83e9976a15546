#include "engine/insight/heads_at_cells.h"

#include <charconv>

#include "engine/attention/masks/combined.h"
#include "engine/core/mean.h"

namespace headlight {

std::optional<MapCell> cell_from_text(std::string_view text) {
  MapCell cell;
  const char* const end = text.data() + text.size();
  const auto query = std::from_chars(text.data(), end, cell.query);
  if (query.ec != std::errc() || query.ptr == end || *query.ptr != ',') return {};
  const auto key = std::from_chars(query.ptr + 1, end, cell.key);
  if (key.ec != std::errc() || key.ptr != end || cell.query < 0 || cell.key < 0) return {};
  return cell;
}

std::string text_of_cell(const MapCell& cell) { return std::to_string(cell.query) + "," + std::to_string(cell.key); }

Result<std::vector<HeadAtCells>> heads_at_cells(const Trace& trace, std::span<const AttentionSite> sites, std::int64_t batch,
                                                std::span<const MapCell> cells, const CancelToken& cancel) {
  std::vector<HeadAtCells> heads;
  for (const AttentionSite& site : sites) {
    for (const MapCell& cell : cells)
      if (cell.query >= site.queries || cell.key >= site.keys)
        return invalid("there is no cell {}: the map has {} queries and {} keys", text_of_cell(cell), site.queries, site.keys);
    const std::string name = trace.name_at(site.prefix, Role::weights);
    for (std::int64_t head = 0; head < site.heads; ++head) {
      if (cancel.cancelled()) return cancelled();
      Mean mean;
      for (const MapCell& cell : cells) {
        if (!masks::allows(site.mask.mask, batch, head, cell.query, cell.key)) continue;
        HL_ASSIGN(const Tensor row, trace.tile(name, {batch, head, cell.query, 1, cell.key, 1}));
        mean.add(row.at({0, 0}));
      }
      heads.push_back({site.prefix, site.layer, head, {}});
      if (mean.count > 0) heads.back().weight = mean.value();
    }
  }
  return heads;
}

}  // namespace headlight
