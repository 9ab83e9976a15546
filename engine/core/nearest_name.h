// The known name that a mistyped one probably means.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace headlight {

// The first of the names with the smallest edit distance to `word` (Levenshtein 1966: insertions, deletions and changes of
// bytes). Empty if that distance exceeds both 2 and a third of the word's length. Of a word only the first 64 bytes are compared.
// nearest_name("casual", {"padding", "causal"}) gives "causal".
std::string nearest_name(std::string_view word, const std::vector<std::string>& names);

}  // namespace headlight
