#include "engine/core/nearest_name.h"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace headlight {
namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);  // distances of a's first i bytes to b's first j
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t changed = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({changed, row[j] + 1, row[j - 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string nearest_name(std::string_view word, const std::vector<std::string>& names) {
  constexpr std::size_t kLongest = 64;  // no name is longer; a longer word is compared by its beginning
  word = word.substr(0, kLongest);
  std::size_t least = std::max<std::size_t>(word.size() / 3, 2) + 1;
  std::string nearest;
  for (const std::string& name : names)
    if (const std::size_t distance = edit_distance(word, name); distance < least) least = distance, nearest = name;
  return nearest;
}

}  // namespace headlight
