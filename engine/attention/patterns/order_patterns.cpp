#include "engine/attention/patterns/order_patterns.h"

#include <unordered_map>
#include <vector>

namespace headlight::patterns {

Mean previous_weight(const HeadMap& map) {
  Mean mean;
  for (std::int64_t i = 1; i < map.rows(); ++i)
    if (map.sees(i, i - 1)) mean.add(map(i, i - 1));
  return mean;
}

Mean induction_weight(const HeadMap& map, std::span<const std::int32_t> ids) {
  Mean mean;
  const auto count = static_cast<std::int64_t>(ids.size());
  std::unordered_map<std::int32_t, std::vector<std::int64_t>> behind;  // a token: the places behind its occurrences
  for (std::int64_t i = 0; i < count; ++i) {
    std::vector<std::int64_t>& places = behind[ids[static_cast<std::size_t>(i)]];
    Mean repeated;
    for (const std::int64_t j : places)
      if (map.sees(i, j)) repeated.add(map(i, j));
    if (repeated.count > 0) mean.add(repeated.sum);
    if (i + 1 < count) places.push_back(i + 1);
  }
  return mean;
}

}  // namespace headlight::patterns
