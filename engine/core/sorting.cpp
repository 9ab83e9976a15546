#include "engine/core/sorting.h"

#include <algorithm>
#include <numeric>
#include <vector>

namespace headlight {

void sort_places(std::size_t count, FunctionRef<bool(std::size_t, std::size_t)> before,
                 FunctionRef<void(std::size_t, std::size_t)> swap) {
  std::vector<std::size_t> order(count);
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return before(a, b); });
  // The element for place `i` stood at order[i]. A swap puts it there, and what stood at `i` to where it stood.
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t from = order[i];
    while (from < i) from = order[from];
    if (from != i) swap(i, from);
  }
}

}  // namespace headlight
