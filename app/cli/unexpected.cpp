#include "app/cli/unexpected.h"

#include <algorithm>
#include <utility>

namespace headlight::cli {
namespace {

std::string unexpected_listed(const std::vector<std::string>& words, const char* between) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : between) + word;
  return text;
}

}  // namespace

int edit_distance(std::string_view a, std::string_view b) {
  // Three rows of the usual table: cost[j] is the distance of a's first i letters to b's first j.
  std::vector<int> before, last(b.size() + 1), cost(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) cost[j] = static_cast<int>(j);
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before = last;
    last = cost;
    cost[0] = static_cast<int>(i);
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      cost[j] = std::min({last[j] + 1, cost[j - 1] + 1, last[j - 1] + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) cost[j] = std::min(cost[j], before[j - 2] + 1);
    }
  }
  return cost[b.size()];
}

std::string unexpected(const std::vector<std::string>& arguments, const std::vector<std::string>& commands,
                       const std::vector<std::string>& options) {
  const std::string& first = arguments.front();
  if (!commands.empty() && !first.starts_with('-')) {
    // Who stopped typing in the middle of a command means that one.
    const auto distance = [&](const std::string& known) {
      return std::pair(!known.starts_with(first), edit_distance(first, known));
    };
    const auto nearest = std::min_element(commands.begin(), commands.end(),
                                          [&](const std::string& a, const std::string& b) { return distance(a) < distance(b); });
    return "there is no command '" + first + "'; the nearest is '" + *nearest + "', known are " +
           unexpected_listed(commands, ", ");
  }
  std::string nearest;
  if (first.starts_with("--")) {
    const std::string name = first.substr(0, first.find('='));
    int best = static_cast<int>(name.size() - 2) / 3 + 1;  // about a letter in three may be wrong
    for (const std::string& option : options) {
      const int distance = option.starts_with(name) ? 0 : edit_distance(name, option);
      if (distance < best) nearest = option, best = distance;
    }
  }
  return (arguments.size() > 1 ? "these arguments were not expected: " : "this argument was not expected: ") +
         unexpected_listed(arguments, " ") + (nearest.empty() ? "" : "; the nearest option is '" + nearest + "'");
}

}  // namespace headlight::cli
