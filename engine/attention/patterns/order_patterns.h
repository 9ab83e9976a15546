// The two patterns that make induction, measured on one head: attention to the previous token, and attention to the tokens behind
// earlier occurrences of the same token.
#pragma once

#include <cstdint>
#include <span>

#include "engine/attention/patterns/head_map.h"
#include "engine/core/mean.h"

namespace headlight::patterns {

// The mean over the rows i of a square map of the weight on column i - 1. Rows whose mask hides this column do not count.
Mean previous_weight(const HeadMap& map);

// The mean over the rows i of the sum of the weights on the columns behind earlier occurrences of token i (Olsson et al. 2022,
// "In-context Learning and Induction Heads"). Rows without such a column, or whose mask hides all of them, do not count.
// induction_weight(map, {5, 9, 5, 9}), one id a row: the mean of row 2 on column 1 and row 3 on column 2.
Mean induction_weight(const HeadMap& map, std::span<const std::int32_t> ids);

}  // namespace headlight::patterns
