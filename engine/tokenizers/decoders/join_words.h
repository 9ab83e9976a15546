// Joins words and punctuation into a readable text.
#pragma once

#include <string>
#include <vector>

namespace headlight::tokenizers {

// Puts single spaces between the words, but none before closing punctuation, after opening punctuation, or around an apostrophe
// between words. Spaces that splitting left out are not restored. {"I", "'", "m", "(", "here", ")", "."} gives "I'm (here).".
std::string join_words(const std::vector<std::string>& words);
// What the library tokenizers makes of a piece where a decoder tidies up (its "cleanup"): no spaces before some marks.
// tidied(" .") gives ".".
std::string tidied(std::string piece);

}  // namespace headlight::tokenizers
