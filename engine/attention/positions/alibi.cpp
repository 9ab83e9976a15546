#include <cmath>
#include <cstdlib>

#include "engine/attention/positions/position_entries.h"

namespace headlight::positions {

// Press et al. 2022, 3: the slopes of h heads are 2^(-8/h), 2^(-16/h), ..., 2^-8. The paper's attention is causal; here keys
// after the query are as far as keys before it.
Entry alibi() {
  Entry e;
  e.id = "alibi";
  e.label = "ALiBi";
  e.formula = "the scaled score of query i and key j loses m |i - j|, m = 2^(-8 (head + 1) / heads)";
  e.source = "Press et al. 2022, 3";
  e.where = Where::scores;
  e.bias = [](std::int64_t heads, std::int64_t head, std::int64_t query, std::int64_t key) {
    const double slope = std::exp2(-8.0 * static_cast<double>(head + 1) / static_cast<double>(heads));
    return -slope * static_cast<double>(std::abs(query - key));
  };
  return e;
}

}  // namespace headlight::positions
