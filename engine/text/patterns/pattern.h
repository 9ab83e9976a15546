// Pattern: a regular expression as published tokenizers write them (Oniguruma's syntax), searched by PCRE2.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"
#include "engine/text/span.h"

namespace headlight::text {

// A stretch of a text: a match, or what lies between two matches.
struct Stretch {
  Span span;
  bool match = false;
  bool operator==(const Stretch&) const = default;
};

class Pattern {
 public:
  // \s, \d and \w are those of Unicode 16, ^ and $ belong to lines. Error (invalid): PCRE2 cannot search for it, such as for \G.
  // of("\\p{L}+") finds runs of letters.
  static Result<Pattern> of(std::string_view expression);
  // All matches from the left without overlap, and the stretches between them; together they cover the text. A match may be
  // empty. Bytes that are no UTF-8 match nothing. A search that takes too many steps ends the matches there.
  // stretches("ab 1") of "\\d" gives "ab " and the match "1".
  std::vector<Stretch> stretches(std::string_view text) const;

 private:
  struct Code;
  std::shared_ptr<const Code> code_;
};

// What is done with matches (published files call it a "behavior"): they stand alone, are left out, join what stands before or
// behind them, or join their neighbours of the same kind. Whatever is not a match stays.
enum class Matches { isolated, removed, with_previous, with_next, contiguous };
std::optional<Matches> matches_named(std::string_view name);  // "isolated", "removed", ...; nothing for any other name
// The words that are left: words_of({{{0, 2}, false}, {{2, 3}, true}}, Matches::with_previous) gives [0, 3).
std::vector<Span> words_of(const std::vector<Stretch>& stretches, Matches matches);

}  // namespace headlight::text
