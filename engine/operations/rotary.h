// Rotary positions: pairs of dimensions of q and k turn by an angle that grows with the position.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/operations/operation.h"

namespace headlight::operations {

// Row r stands at position t = first + r mod length. Pair i = (a, b) of its d_k / 2 pairs is rotated by t base^(-2 i / d_k) (Su
// et al. 2021, eq. 15 and 34): a = 2 i, b = 2 i + 1, or with `halves` a = i, b = i + d_k / 2 (as GPT-NeoX and LLaMA store them).
// in: x [rows, d_k], rows in blocks of `length`.  out: y. Error: an odd d_k.
struct Rotary {
  std::int64_t rows = 0, length = 0, d_k = 0;
  double base = 10000;
  bool halves = false;
  std::int64_t first = 0;  // position of the first row; above 0 where a sentence is continued
};
template <>
const Kind& kind_of<Rotary>();

// The rotation of pair i at a position: turns_of() gives [length, d_k / 2] of them, from position `first` on.
struct Turn {
  float cosine = 1, sine = 0;
};
std::vector<Turn> turns_of(const Rotary& op);

}  // namespace headlight::operations
