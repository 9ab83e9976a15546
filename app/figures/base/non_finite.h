// Cells that hold no finite number: not a number (NaN), +∞ and −∞. Every picture shows them in colours of their own, which no
// colour map has, at every size, and its legend counts them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// The kinds, by rank: of several cells that share a pixel, the pixel shows the highest.
enum class NonFinite : std::uint8_t { none, minus, plus, nan };

// non_finite(-INFINITY) is NonFinite::minus, non_finite(1e300) is NonFinite::none.
NonFinite non_finite(double value);
// A value of this kind: NaN, +∞ or −∞; 0 for none. value_of(non_finite(v)) is v unless v is finite.
float value_of(NonFinite kind);
// Magenta, red and cyan, in every theme.
Color color_of(NonFinite kind);

struct NonFiniteCount : CellCounts {
  bool any() const { return nan + plus + minus > 0; }
  // Counts in a matrix; masked cells (mask u8 of the same shape, or empty) count as cells only.
  void add(const Tensor& values, const Tensor& mask);
  void add(double value);
  void add(const CellCounts& other);
  void add(NonFinite kind, std::int64_t count);  // not of cells
  std::int64_t of(NonFinite kind) const;
  // A sentence for each kind that occurs: "60 of 3,600 cells are not a number". `brief`: "NaN: 60 of 3,600". Without cells these
  // are values: "3 values are not a number".
  struct Line {
    NonFinite kind = NonFinite::none;
    std::string words;
  };
  std::vector<Line> lines(bool brief = false) const;
};

// What a figure draws of them.
struct NonFiniteParts {
  NonFiniteCount cells;      // in its matrices, without their masked cells; of blocks, in the matrix they stand for
  NonFiniteCount gaps;       // Tag::gap
  bool counts_them = false;  // its own legend has counted the cells
  bool any() const { return cells.any() || gaps.any(); }
};
// non_finite_in(figure).cells.nan is 60 for a heatmap with a row of 60 such cells.
NonFiniteParts non_finite_in(const Figure& figure);
// Where the figure draws one of them.
struct NonFinitePlace {
  std::size_t item = 0;              // index in Figure::items
  std::int64_t row = 0, column = 0;  // of Cells: among the shown ones
  Box box;
};
// The drawn cell, or with `gaps` the gap, that comes after `before` others of this kind in the order of items, rows and columns;
// those that it passes are taken off `before`. Nothing if there are fewer.
// With before = 0, non_finite_place(figure, NonFinite::nan, false, before) is the first cell that is not a number.
std::optional<NonFinitePlace> non_finite_place(const Figure& figure, NonFinite kind, bool gaps, std::int64_t& before);

// A mark of `kind` for `count` values that have no cell, tagged Tag::gap.
Rectangle gap_mark(NonFinite kind, Box box, std::int64_t count = 1);

// Adds the sentences to the figure's remarks, unless they are there already.
void add_remarks(Figure& figure, const NonFiniteCount& count);

// 3600 as "3,600".
std::string grouped(std::int64_t number);

}  // namespace headlight::figures
