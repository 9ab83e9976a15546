// Words and punctuation joined for reading.
#pragma once

#include <string>
#include <vector>

namespace headlight::tokenizers {

// Single spaces between the words, none before closing and after opening punctuation, none around an apostrophe between letters.
// What splitting left out cannot come back.
std::string join_words(const std::vector<std::string>& words);

}  // namespace headlight::tokenizers
