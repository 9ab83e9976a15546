// Grapheme clusters: the units that a person calls characters. An emoji family, a flag, a skin tone, a Hangul syllable or a
// letter with its combining marks is one cluster. Rules: Unicode Standard Annex 29, extended grapheme clusters, by utf8proc and
// (for the conjuncts of Indic scripts, rule GB9c) by our own code.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace headlight::text {

// The byte after the cluster that begins at `at` (at < text.size()). An invalid byte is a cluster of its own.
// grapheme_end("e\u0301x", 0) gives 3: the letter and its combining accent are one cluster.
// `joins_conjuncts`: with rule GB9c, which came with Unicode 15.1, and which Oniguruma does not have.
std::int64_t grapheme_end(std::string_view text, std::int64_t at, bool joins_conjuncts = true);

// Calls visit(start, end) for every cluster, in order; the clusters cover the text.
// for_each_grapheme("ab", visit) calls visit(0, 1) and visit(1, 2).
template <class Visit>
void for_each_grapheme(std::string_view text, Visit&& visit) {
  for (std::int64_t at = 0; at < static_cast<std::int64_t>(text.size());) {
    const std::int64_t end = grapheme_end(text, at);
    visit(at, end);
    at = end;
  }
}

std::int64_t count_graphemes(std::string_view text);

// The same rules as a regular expression, for engines whose own \X follows another Unicode: about 20 KB of code points in ranges.
// In valid UTF-8 its matches are the clusters.
std::string grapheme_expression();

}  // namespace headlight::text
