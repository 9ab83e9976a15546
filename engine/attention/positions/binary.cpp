#include <algorithm>
#include <bit>

#include "engine/attention/positions/position_entries.h"

namespace headlight::positions {
namespace {

// Of the largest position: 3 for 8 positions.
std::int64_t bits_of(std::int64_t length, std::int64_t d) {
  const auto last = static_cast<std::uint64_t>(std::max<std::int64_t>(length - 1, 1));
  return std::min<std::int64_t>(std::bit_width(last), d);
}

}  // namespace

// The position as a binary number, the most significant bit first, in the first dimensions; the others are 0. The numbers of a
// longer text have more digits, so that each dimension means what it does in a text of the same power of two alone. If d is too
// small for all digits, the highest are left out, so that neighbours differ.
Entry binary() {
  Entry e;
  e.id = "binary";
  e.label = "binary code";
  e.formula = "P[pos, c] = digit c of pos in binary, the most significant first; 0 behind the last digit";
  e.source = "a first idea, before sines and cosines";
  e.used = bits_of;
  e.make = [](std::int64_t length, std::int64_t d, std::uint64_t) {
    Tensor table(DType::f64, {length, d}, {"position", "d_model"}, true);
    auto* cell = table.data<double>();
    const std::int64_t bits = bits_of(length, d);
    for (std::int64_t pos = 0; pos < length; ++pos)
      for (std::int64_t c = 0; c < d; ++c) *cell++ = c < bits ? static_cast<double>(pos >> (bits - 1 - c) & 1) : 0;
    return table;
  };
  return e;
}

}  // namespace headlight::positions
