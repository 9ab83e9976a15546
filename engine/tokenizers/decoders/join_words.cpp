#include "engine/tokenizers/decoders/join_words.h"

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

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

// Replacement after replacement, as the library does it.
std::string tidied(std::string piece) {
  constexpr std::pair<std::string_view, std::string_view> kChanges[] = {
      {" .", "."},   {" ?", "?"},           {" !", "!"},   {" ,", ","},     {" ' ", "'"},   {" n't", "n't"},
      {" 'm", "'m"}, {" do not", " don't"}, {" 's", "'s"}, {" 've", "'ve"}, {" 're", "'re"}};
  for (const auto& [from, to] : kChanges)
    for (std::size_t at = 0; (at = piece.find(from, at)) != std::string::npos; at += to.size())
      piece.replace(at, from.size(), to);
  return piece;
}

}  // namespace headlight::tokenizers
