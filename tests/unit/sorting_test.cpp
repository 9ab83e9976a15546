#include "engine/core/sorting.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "engine/core/rng.h"

namespace headlight {
namespace {

TEST(Sorting, AgreesWithTheStandardLibrarysStableSort) {
  for (const std::size_t count : {0, 1, 2, 3, 17, 200}) {
    const Rng rng(count, "sorting");
    // Few keys, so that many are equal; the second says where an element stood.
    std::vector<std::pair<int, std::size_t>> list;
    for (std::size_t i = 0; i < count; ++i) list.emplace_back(static_cast<int>(7 * rng.uniform(i, 0)), i);
    const auto before = [](const auto& a, const auto& b) { return a.first < b.first; };
    auto expected = list;
    std::stable_sort(expected.begin(), expected.end(), before);
    sort_stably(list, before);
    EXPECT_EQ(list, expected) << count;
  }
}

TEST(Sorting, SortsUpwardsWhereNoOrderIsGiven) {
  std::vector<std::string> names{"c", "a", "b", "a"};
  sort_stably(names);
  EXPECT_EQ(names, (std::vector<std::string>{"a", "a", "b", "c"}));
  sort_stably(names, std::greater<>());
  EXPECT_EQ(names, (std::vector<std::string>{"c", "b", "a", "a"}));
}

TEST(Sorting, MovesWhatCannotBeCopied) {
  std::vector<std::unique_ptr<int>> list;
  for (const int value : {3, 1, 2}) list.push_back(std::make_unique<int>(value));
  sort_stably(list, [](const auto& a, const auto& b) { return *a < *b; });
  for (int i = 0; i < 3; ++i) EXPECT_EQ(*list[static_cast<std::size_t>(i)], i + 1);
}

}  // namespace
}  // namespace headlight
