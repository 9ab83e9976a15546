#include "engine/tokenizers/decoders/join_words.h"

#include <algorithm>
#include <iterator>
#include <string_view>

namespace headlight::tokenizers {

std::string join_words(const std::vector<std::string>& words) {
  constexpr std::string_view kClosing[] = {".", ",", "!", "?", ";", ":", ")", "]", "}", "%", "…", "»", "。", "，", "、"};
  constexpr std::string_view kOpening[] = {"(", "[", "{", "«", "¿", "¡"};
  const auto among = [](const auto& list, std::string_view word) {
    return std::find(std::begin(list), std::end(list), word) != std::end(list);
  };
  const auto apostrophe = [](std::string_view word) { return word == "'" || word == "’"; };
  std::string text;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool joined = i == 0 || among(kClosing, words[i]) || among(kOpening, words[i - 1]) ||
                        (apostrophe(words[i]) && i + 1 < words.size()) || (apostrophe(words[i - 1]) && i > 1);
    if (!joined) text += ' ';
    text += words[i];
  }
  return text;
}

}  // namespace headlight::tokenizers
