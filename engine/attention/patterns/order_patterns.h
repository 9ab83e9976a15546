// The two patterns of which induction is made, measured on one head: it looks at the token before, or behind earlier occurrences.
#pragma once

#include <cstdint>
#include <span>

#include "engine/attention/patterns/head_map.h"
#include "engine/core/mean.h"

namespace headlight::patterns {

// Over the rows i of a square map: the weight on column i - 1. Rows whose mask hides it do not count.
Mean previous_weight(const HeadMap& map);

// Over the rows i: the sum of the weights on the columns behind earlier occurrences of token i (Olsson et al. 2022, "In-context
// Learning and Induction Heads"). Rows that have no such column, or whose mask hides all of them, do not count. `ids`: one a row.
Mean induction_weight(const HeadMap& map, std::span<const std::int32_t> ids);

}  // namespace headlight::patterns
