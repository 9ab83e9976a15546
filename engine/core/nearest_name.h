// The known name that a mistyped one probably means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// The name of `names` with the smallest edit distance (Levenshtein 1966: insertions, deletions and changes of bytes) to `word`,
// the first of equals; empty where that distance is above a third of the word's length, but at least 2.
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

}  // namespace headlight
