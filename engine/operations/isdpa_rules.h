// Which of its exact ways index-based attention takes at a given size: what the backends decide alike.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "engine/operations/isdpa.h"

namespace headlight::operations {

// Whether a table of all scores, [heads, n + l, n + l], is made, or each word's own scores are multiplied out. A table that is
// kept always pays; one made in every call, where it has at most twice as many scores as the words need (500 words of 32 on two
// cores: 7.1 against 8.1 ms at 1.25 times, 10.0 against 9.3 ms at 2.2 times); none is larger than 2^26 numbers (256 MiB).
bool makes_table(const Isdpa& op);

// The different symbols among `ids` (each 0 .. vocabulary - 1), in rising order.
std::vector<std::int32_t> symbols_among(std::span<const std::int32_t> ids, std::int64_t vocabulary);

// Whether projecting only the symbols that occur, `used` of them, is less work than projecting all: never where the rows are kept
// for other words.
bool worth_projecting_only(const Isdpa& op, std::int64_t used);

// Whether the projections of every symbol at every position are kept (direct_distinct and its folded form, with fixed weights):
// n l rows of d, up to 128 MiB an array.
bool keeps_every_pair(const Isdpa& op);

// How many of n symbols occur among so many drawn uniformly: n (1 - (1 - 1/n)^draws), at least 1.
double expected_distinct(double symbols, double draws);

}  // namespace headlight::operations
