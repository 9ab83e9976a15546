#include "engine/tokenizers/vocabulary.h"

#include <algorithm>
#include <iterator>

#include "engine/text/display.h"
#include "engine/text/utf8.h"

namespace headlight::tokenizers {

bool is_special_name(std::string_view piece) {
  return std::find(std::begin(kSpecialNames), std::end(kSpecialNames), piece) != std::end(kSpecialNames);
}

Result<Vocabulary> Vocabulary::of(std::vector<std::string> pieces, const std::string& where) {
  Vocabulary vocabulary;
  for (std::size_t id = 0; id < pieces.size(); ++id) {
    const std::string& piece = pieces[id];
    if (piece.empty()) return invalid("the piece with id " + std::to_string(id) + " is empty", where, "give every id a text");
    if (!text::is_valid_utf8(piece))
      return invalid("the piece with id " + std::to_string(id) + " is not UTF-8", where, "write bytes as the byte alphabet does");
    if (const std::int32_t other = vocabulary.find(piece); other >= 0)
      return invalid("the piece '" + piece + "' has two ids, " + std::to_string(other) + " and " + std::to_string(id), where,
                     "keep one of them");
    vocabulary.add(piece);
  }
  return vocabulary;
}

Vocabulary Vocabulary::with_specials() {
  Vocabulary vocabulary;
  for (const char* name : kSpecialNames) vocabulary.add(name);
  return vocabulary;
}

const std::string& Vocabulary::piece(std::int32_t id) const {
  static const std::string none;
  return id >= 0 && id < size() ? pieces_[static_cast<std::size_t>(id)] : none;
}

std::int32_t Vocabulary::find(std::string_view piece) const {
  const auto it = ids_.find(piece);
  return it == ids_.end() ? -1 : it->second;
}

std::int32_t Vocabulary::find_text(std::string_view piece) const {
  const std::int32_t id = find(piece);
  return id >= 0 && is_special(id) ? -1 : id;
}

std::int32_t Vocabulary::add(const std::string& piece) {
  const auto [it, added] = ids_.try_emplace(piece, size());
  if (added) {
    for (int i = 0; i < 4; ++i)
      if (piece == kSpecialNames[i]) specials_[i] = it->second;
    pieces_.push_back(piece);
  }
  return it->second;
}

bool Vocabulary::is_special(std::int32_t id) const {
  return id >= 0 && std::find(std::begin(specials_), std::end(specials_), id) != std::end(specials_);
}

std::string VocabularyTokenizer::display_text(std::int32_t id) const {
  return vocabulary_.is_special(id) ? vocabulary_.piece(id) : text::display_text(vocabulary_.piece(id));
}

std::string VocabularyTokenizer::label() const {
  std::string digits = std::to_string(vocabulary_size());
  for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3) digits.insert(static_cast<std::size_t>(i), ",");
  return std::string(name()) + " " + digits;
}

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
