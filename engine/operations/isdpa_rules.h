// Rules by which all backends choose among the exact ways of index-based attention at a given size.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/operations/isdpa.h"

namespace headlight::operations {

// Whether a table of all scores, [heads, n + l, n + l], is made; otherwise each word's own scores are computed as products. A
// kept table always pays. A table that every call makes pays if it has at most twice as many scores as the words need (500 words
// of 32 on two cores: 7.1 against 8.1 ms at 1.25 times, 10.0 against 9.3 ms at 2.2 times). No table is larger than 2^26 numbers
// (256 MiB).
bool makes_table(const Isdpa& op);

// The different symbols among `ids` (each 0 .. vocabulary - 1), in rising order.
// symbols_among({7, 2, 7}, 10) gives {2, 7}.
std::vector<std::int32_t> symbols_among(std::span<const std::int32_t> ids, std::int64_t vocabulary);

// Whether it is less work to project only the `used` symbols that occur than to project all symbols. It never is where the rows
// are kept for other words.
// worth_projecting_only(op, 75) is true for 100 symbols in words of 32 that are not cached, with 76 it is false.
bool worth_projecting_only(const Isdpa& op, std::int64_t used);

// Whether the projections of every symbol at every position are kept (direct_distinct and its folded form, with fixed weights): n
// l rows of d numbers, up to 128 MiB an array.
bool keeps_every_pair(const Isdpa& op);

// The expected number of different symbols in `draws` uniform draws from n: n (1 - (1 - 1/n)^draws), at least 1.
// expected_distinct(2, 2) gives 1.5.
double expected_distinct(double symbols, double draws);

}  // namespace headlight::operations
