// Cells that hold no finite number: not a number (NaN), +∞ and −∞. Every picture shows them in colours of their own, which no
// colour map has, at every size, and its legend counts them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/figures/base/figure.h"

namespace headlight::figures {

// The kinds, by rank: of several cells that share a pixel, the pixel shows the highest.
enum class NonFinite : std::uint8_t { none, minus, plus, nan };

// non_finite(-INFINITY) is NonFinite::minus, non_finite(0.5f) is NonFinite::none.
NonFinite non_finite(float value);
// A value of this kind: NaN, +∞ or −∞; 0 for none. value_of(non_finite(v)) is v unless v is finite.
float value_of(NonFinite kind);
// Magenta, red and cyan, in every theme.
Color color_of(NonFinite kind);

struct NonFiniteCount {
  std::int64_t nan = 0, plus = 0, minus = 0, cells = 0;

  bool any() const { return nan + plus + minus > 0; }
  // Counts in a matrix; masked cells (mask u8 of the same shape, or empty) count as cells only.
  void add(const Tensor& values, const Tensor& mask);
  void add(float value);
  void add(const NonFiniteCount& other);
  std::int64_t of(NonFinite kind) const;
  // A sentence for each kind that occurs: "60 of 3,600 cells are not a number". `brief`: "NaN: 60 of 3,600".
  struct Line {
    NonFinite kind = NonFinite::none;
    std::string words;
  };
  std::vector<Line> lines(bool brief = false) const;
};

// Adds the sentences to the figure's remarks, unless they are there already.
void add_remarks(Figure& figure, const NonFiniteCount& count);

// 3600 as "3,600".
std::string grouped(std::int64_t number);

}  // namespace headlight::figures
