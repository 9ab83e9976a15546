// Rotary positions: pairs of dimensions of q and k turn by an angle that grows with the position.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/operations/operation.h"

namespace headlight::operations {

// Row r stands at position t = first + r mod length. Pair i = (a, b) of its d / 2 pairs is rotated by t base^(-2 i / d) (Su et
// al. 2021, eq. 15 and 34), d = d_k: a = 2 i, b = 2 i + 1, or with `halves` a = i, b = i + d / 2 (as GPT-NeoX and LLaMA store
// them). A published model may turn its first dimensions alone (`turned`), turn pairs by other angles a position (`frequencies`),
// and lengthen what it turns (`magnitude`). in: x [rows, d_k], rows in blocks of `length`.  out: y. Errors: an odd d; a number of
// frequencies that is not d / 2.
struct Rotary {
  std::int64_t rows = 0, length = 0, d_k = 0;
  double base = 10000;
  bool halves = false;
  std::int64_t first = 0;                // position of the first row; above 0 where a sentence is continued
  std::int64_t turned = 0;               // the first dimensions, which are turned; the others stay as they are. 0: all
  std::vector<double> frequencies = {};  // by pair, in radians a position; empty: base^(-2 i / d)
  double magnitude = 1;                  // the turned dimensions are multiplied by it

  std::int64_t pairs() const { return (turned > 0 ? turned : d_k) / 2; }
};
template <>
const Kind& kind_of<Rotary>();

// The angle in radians of pair `pair` at a position. angle_of(Rotary{1, 1, 8}, 3, 0) is 3.
double angle_of(const Rotary& op, std::int64_t position, std::int64_t pair);
// The rotation of pair i at a position, with the magnitude: turns_of() gives [length, pairs()] of them, from position `first` on.
struct Turn {
  float cosine = 1, sine = 0;
};
std::vector<Turn> turns_of(const Rotary& op);

}  // namespace headlight::operations
