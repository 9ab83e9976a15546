#include "engine/insight/word_joins.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "engine/text/unicode.h"
#include "engine/text/utf8.h"

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

}  // namespace

std::vector<bool> joins_to_words(std::string_view text, std::span<const tokenizers::Token> tokens) {
  const auto part = [&](std::int64_t start, std::int64_t end) {
    const auto size = static_cast<std::int64_t>(text.size());
    start = std::clamp<std::int64_t>(start, 0, size);
    return text.substr(static_cast<std::size_t>(start), static_cast<std::size_t>(std::clamp(end, start, size) - start));
  };
  std::vector<bool> joins(tokens.size(), false);
  for (std::size_t i = 1; i < tokens.size(); ++i) {
    const tokenizers::Token &token = tokens[i], &before = tokens[i - 1];
    if (token.end <= token.start || before.end <= before.start) continue;
    const bool shares = token.start < before.end;  // bytes of one character
    joins[i] = shares || (token.start == before.end && may_join(ends_of_token(part(before.start, before.end)).second) &&
                          may_join(ends_of_token(part(token.start, token.end)).first));
  }
  return joins;
}

std::vector<bool> joins_to_words(const Sentence& sentence) { return joins_to_words(sentence.text, sentence.tokens); }

}  // namespace headlight
