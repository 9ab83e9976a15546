// The candidates for the next word, as the walk-through's last boxes, its notes and its opened pages show them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"
#include "app/figures/base/theme.h"

namespace headlight::figures {

struct WalkCandidates {
  struct Row {
    std::string word, number;  // "·forest", "12.3" or "42%"
    double share = 0;          // 0..1, of the longest bar
    bool chosen = false;
  };
  std::vector<Row> rows;    // best first
  std::int64_t others = 0;  // tokens of the vocabulary behind them
  Tensor cells;             // f32 [rows, n]: numbers in place of the bars, on the signed map; empty: bars
  double largest = 0;       // |number| of the cells
  std::uint64_t key = 0;    // of the cells' texture
  bool single = false;      // there is one row, the chosen word, written large; its number stands below
  std::uint64_t bytes() const { return cells.bytes() + rows.size() * sizeof(Row); }
};

// Adds as many rows as `place` has room for; behind the last one stands how many tokens are left, where there are five lines or
// more. add_candidates(figure, candidates, {0, 0, 160, 80}, theme, measure) adds the best four or so.
void add_candidates(Figure& figure, const WalkCandidates& candidates, const Box& place, const Theme& theme,
                    const TextMeasure& measure);

// The height of a list of `rows` rows and the line below them, in points. candidates_height(5, measure) has room for five rows.
float candidates_height(std::size_t rows, const TextMeasure& measure);

}  // namespace headlight::figures
