// The texts of the views in other languages: each view's words.tsv, embedded by the build.
#pragma once

#include <string>
#include <vector>

namespace headlight {

// A table for each view, in the form of assets/interface.tsv: its first line names the languages.
const std::vector<std::string>& view_words();

}  // namespace headlight
