#include "engine/insight/word_joins.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"
#include "engine/tokenizers/explained.h"

namespace headlight {
namespace {

// The first and last characters of a token's bytes; 0: it has none.
std::pair<char32_t, char32_t> ends_of_token(std::string_view bytes) {
  char32_t first = 0, last = 0;
  bool any = false;
  text::for_each_code_point(bytes, [&](std::int64_t, const text::CodePoint& c) {
    const char32_t value = c.valid ? c.value : U'?';
    if (!any) first = value;
    any = true;
    last = value;
  });
  return {first, last};
}
bool may_join(char32_t c) { return (text::is_letter(c) || text::is_mark(c) || text::is_number(c)) && !text::is_ideograph(c); }

std::string_view part_of(std::string_view text, std::int64_t start, std::int64_t end) {
  const auto size = static_cast<std::int64_t>(text.size());
  start = std::clamp<std::int64_t>(start, 0, size);
  return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(std::clamp(end, start, size) - start));
}

// Calls join(before, token) for every token that has bytes behind one that has some.
template <class Join>
std::vector<bool> joins_of(std::span<const tokenizers::Token> tokens, const Join& join) {
  std::vector<bool> joins(tokens.size(), false);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const tokenizers::Token &before = tokens[i - 1], &token = tokens[i];
    if (token.end <= token.start || before.end <= before.start) continue;
    const bool shares = token.start < before.end;  // bytes of one character
    joins[i] = shares || join(before, token);
  }
  return joins;
}

// Whether the byte is inside of a character.
bool continues(std::string_view text, std::int64_t at) {
  return (static_cast<unsigned char>(text[static_cast<std::size_t>(at)]) & 0xC0) == 0x80;
}

// Its words are characters, or runs of so many of them.
bool cuts_characters(const tokenizers::ExplainedStage& stage) {
  return stage.splits && (stage.choice.id == "graphemes" || stage.choice.id == "fixed_length");
}

// The number of the splitter's word that each byte of the text is in; -1: of none.
std::vector<std::int64_t> words_by_byte(std::string_view text, const tokenizers::Explained& explained) {
  std::vector<std::int64_t> words(text.size(), -1);
  std::int64_t number = 0;
  const auto add = [&](const text::Span& place) {
    ++number;
    bool visible = false;
    text::for_each_code_point(part_of(text, place.start, place.end), [&](std::int64_t at, const text::CodePoint& c) {
      const bool space = c.valid && text::is_whitespace(c.value);
      if (space && visible) ++number;
      visible = !space;
      std::fill_n(words.begin() + place.start + at, c.length, number);
    });
  };
  for (const tokenizers::Explained::Part& part : explained.parts) {
    if (part.added >= 0) continue;
    if (std::any_of(part.stages.begin(), part.stages.end(), cuts_characters))
      add(part.source);
    else
      for (const tokenizers::Explained::Word& word : part.words) add(word.source);
  }
  return words;
}

constexpr std::string_view kByteSpace = "\xc4\xa0", kLowStroke = "\xe2\x96\x81";  // Ġ and ▁
bool marks_a_word(std::string_view piece) {
  return piece.starts_with(' ') || piece.starts_with(kByteSpace) || piece.starts_with(kLowStroke);
}

}  // namespace

std::vector<bool> joins_to_words(std::string_view text, std::span<const tokenizers::Token> tokens) {
  return joins_of(tokens, [&](const tokenizers::Token& before, const tokenizers::Token& token) {
    return token.start == before.end && may_join(ends_of_token(part_of(text, before.start, before.end)).second) &&
           may_join(ends_of_token(part_of(text, token.start, token.end)).first);
  });
}

std::vector<bool> joins_to_words(const Sentence& sentence) { return joins_to_words(sentence.text, sentence.tokens); }

std::vector<bool> joins_to_words(const Sentence& sentence, const tokenizers::Tokenizer* tokenizer) {
  if (!tokenizer) return joins_to_words(sentence);
  const auto explained = tokenizer->explain(sentence.text);
  if (!explained) return joins_to_words(sentence);
  const std::vector<std::int64_t> words = words_by_byte(sentence.text, *explained);
  const auto word_of = [&](const tokenizers::Token& token) -> std::int64_t {
    const auto size = static_cast<std::int64_t>(words.size());
    for (std::int64_t at = std::max<std::int64_t>(0, token.start); at < std::min(token.end, size); ++at)
      if (words[static_cast<std::size_t>(at)] >= 0) return words[static_cast<std::size_t>(at)];
    return -1;
  };
  return joins_of(sentence.tokens, [&](const tokenizers::Token& before, const tokenizers::Token& token) {
    if (before.added || token.added) return false;
    const std::int64_t word = word_of(token);
    if (word < 0 || word != word_of(before)) return false;
    // Pieces may be bytes: what stands on both sides of the place where they meet are characters of the text.
    const std::int64_t place = token.start, size = static_cast<std::int64_t>(sentence.text.size());
    if (place <= 0 || place >= size || continues(sentence.text, place)) return true;
    std::int64_t last = place - 1;
    while (last > 0 && continues(sentence.text, last)) --last;
    return !text::is_ideograph(text::decode_at(sentence.text, last).value) &&
           !text::is_ideograph(text::decode_at(sentence.text, place).value);
  });
}

std::vector<bool> joins_by_marks(const std::vector<std::string>& pieces) {
  const bool marked = std::any_of(pieces.begin(), pieces.end(), marks_a_word);
  std::vector<bool> joins(pieces.size(), false);
  for (std::size_t i = 1; i < pieces.size(); ++i) {
    const std::string &before = pieces[i - 1], &piece = pieces[i];
    if (before.empty() || piece.empty()) continue;
    const bool after_mark = before == " " || before == kByteSpace || before == kLowStroke;
    joins[i] = (piece.starts_with("##") && piece.size() > 2) ||
               (marked && !marks_a_word(piece) && may_join(ends_of_token(piece).first) &&
                (after_mark || may_join(ends_of_token(before).second)));
  }
  return joins;
}

std::string without_word_mark(const std::string& piece) {
  for (const std::string_view mark : {std::string_view(" "), kByteSpace, kLowStroke, std::string_view("##")})
    if (piece.size() > mark.size() && piece.starts_with(mark)) return piece.substr(mark.size());
  return piece;
}

}  // namespace headlight
