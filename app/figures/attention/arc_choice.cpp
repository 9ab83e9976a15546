// Chooses which of a head's weights are drawn as arcs: all while they can be told apart, otherwise the strongest.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "app/figures/attention/layouts.h"
#include "engine/core/sorting.h"

namespace headlight::figures {
namespace {

constexpr float kUnknownShare = 0.2f;  // how wide the arc of a cell without a finite number is

struct Cell {
  std::int64_t at = 0;
  float weight = 0;
};

// Takes the strongest cells of one query until they hold `share` of its weight; at most `most`.
void take_row(std::vector<Cell>& row, double share, std::int64_t most, std::vector<Cell>& taken) {
  double sum = 0;
  for (const Cell& cell : row) sum += static_cast<double>(cell.weight);
  const auto stronger = [](const Cell& a, const Cell& b) { return a.weight > b.weight; };
  if (static_cast<std::int64_t>(row.size()) > most) {
    std::nth_element(row.begin(), row.begin() + most, row.end(), stronger);
    row.resize(static_cast<std::size_t>(most));
  }
  sort_stably(row, stronger);
  double held = 0;
  for (const Cell& cell : row) {
    if (held >= share * sum * (1 - 1e-6)) break;
    held += static_cast<double>(cell.weight);
    taken.push_back(cell);
  }
}

}  // namespace

ArcSet choose_arcs(const HeadMatrix& head, const Tensor& mask_tensor, double share, std::int64_t most, bool rows_are_queries) {
  ArcSet set;
  if (head.values.empty() || head.values.rank() != 2) return set;
  const Tensor values = head.values.as(DType::f32).compact(), shares = head.shares.as(DType::f32).compact();
  const Tensor mask = mask_tensor.empty() ? mask_tensor : mask_tensor.compact();
  const std::int64_t rows = values.dim(0), columns = values.dim(1);
  const std::int64_t queries = rows_are_queries ? rows : columns, keys = rows_are_queries ? columns : rows;
  double all = 0;
  std::vector<Arc> unknown;
  std::vector<std::vector<Cell>> by_query(static_cast<std::size_t>(queries));
  for (std::int64_t q = 0; q < queries; ++q)
    for (std::int64_t k = 0; k < keys; ++k) {
      const std::int64_t at = rows_are_queries ? q * columns + k : k * columns + q;
      const float weight = values.data<float>()[at];
      if (!mask.empty() && !mask.data<std::uint8_t>()[at]) continue;
      if (!std::isfinite(weight)) unknown.push_back({at / columns, at % columns, weight, kUnknownShare});
      if (!(weight > 0) || !std::isfinite(weight)) continue;
      all += static_cast<double>(weight);
      by_query[static_cast<std::size_t>(q)].push_back({at, weight});
    }
  // Tries shares from the largest on; one row never needs more cells than may be drawn in all.
  std::vector<double> wanted{share};
  if (share <= 0) wanted = {1.0, 0.95, 0.9, 0.8, 0.7, 0.5, 0.3};
  std::vector<Cell> taken;
  for (const double one : wanted) {
    taken.clear();
    for (auto& row : by_query) {
      std::vector<Cell> copy = row;
      take_row(copy, std::min(one, 1.0), most, taken);
    }
    if (static_cast<std::int64_t>(taken.size()) <= most) break;
  }
  const auto weaker = [](const Cell& a, const Cell& b) { return a.weight < b.weight; };
  if (static_cast<std::int64_t>(taken.size()) > most) {
    std::nth_element(taken.begin(), taken.end() - most, taken.end(), weaker);
    taken.erase(taken.begin(), taken.end() - most);
  }
  sort_stably(taken, weaker);
  double held = 0;
  for (const Cell& cell : taken) {
    held += static_cast<double>(cell.weight);
    set.arcs.push_back(
        {cell.at / columns, cell.at % columns, cell.weight, std::clamp(std::abs(shares.data<float>()[cell.at]), 0.0f, 1.0f)});
  }
  set.held = all > 0 ? held / all : 0;
  // Without a finite number: on top, and if they are too many, evenly chosen ones. Marks beside the tokens show all of them.
  const auto many = static_cast<std::int64_t>(unknown.size()), step = std::max<std::int64_t>(1, (many + most - 1) / most);
  for (std::int64_t i = 0; i < many; i += step) set.arcs.push_back(unknown[static_cast<std::size_t>(i)]);
  return set;
}

}  // namespace headlight::figures
