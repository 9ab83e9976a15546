#include "engine/tokenizers/mask_words.h"

#include <cstdint>
#include <string>

namespace headlight::tokenizers {

Result<std::vector<Token>> encode_with_masks(const Tokenizer& tokenizer, std::string_view text, const CancelToken& cancel) {
  const std::int32_t mask = tokenizer.special(Role::mask);
  // A published tokenizer knows by itself where its mask stands.
  const std::string name = mask < 0 || tokenizer.vocabulary().is_published() ? std::string() : tokenizer.piece(mask);
  if (name.empty()) return tokenizer.encode(text, cancel);
  std::vector<Token> all;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t found = text.find(name, at), end = found == std::string_view::npos ? text.size() : found;
    const bool space = end < text.size() && end > at && text[end - 1] == ' ';
    HL_ASSIGN(std::vector<Token> plain, tokenizer.encode(text.substr(at, end - at - (space ? 1 : 0)), cancel));
    for (Token& token : plain) {
      token.start += static_cast<std::int64_t>(at);
      token.end += static_cast<std::int64_t>(at);
      all.push_back(std::move(token));
    }
    if (end == text.size()) break;
    at = end + name.size();
    all.push_back({mask, name, static_cast<std::int64_t>(end) - (space ? 1 : 0), static_cast<std::int64_t>(at), true});
  }
  return all;
}

}  // namespace headlight::tokenizers
