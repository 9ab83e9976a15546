// Grapheme clusters: what a person calls one character. An emoji family, a flag, a skin tone, a Hangul syllable or a letter
// with its combining marks is one. Rules: Unicode Standard Annex 29, extended grapheme clusters, by utf8proc and (for
// the conjuncts of Indic scripts, rule GB9c) by us.
#pragma once

#include <cstdint>
#include <string_view>

namespace headlight::text {

// The byte after the cluster that begins at `at` (at < text.size()). An invalid byte is a cluster of its own.
std::int64_t grapheme_end(std::string_view text, std::int64_t at);

// Calls visit(start, end) for every cluster, in order; they cover the text.
template <class Visit>
void for_each_grapheme(std::string_view text, Visit&& visit) {
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(text.size());) {
    const std::int64_t end = grapheme_end(text, at);
    visit(at, end);
    at = end;
  }
}

std::int64_t count_graphemes(std::string_view text);

}  // namespace headlight::text
