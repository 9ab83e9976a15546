#include "app/figures/explanation/role_words.h"

#include "app/text/language.h"

namespace headlight {

const RoleWords& words_of(HeadPattern pattern) {
  // In the order of HeadPattern. The first hue is amber, which means selected.
  static constexpr RoleWords kRoles[] = {
      {"role:previous", tr_later("previous token"), tr_later("{} looks at the token before:"),
       tr_later("{0} of the weight falls on the token before, over {1} texts"), nullptr, 1},
      {"role:next", tr_later("next token"), tr_later("{} looks at the token after:"),
       tr_later("{0} of the weight falls on the token after, over {1} texts"), nullptr, 2},
      {"role:first", tr_later("first token"), tr_later("{} rests on the first token:"),
       tr_later("{0} of the weight falls on the first token, over {1} texts"), nullptr, 4},
      {"role:same", tr_later("same word"), tr_later("{} looks at the same word elsewhere:"),
       tr_later("{0} of a repeated word's weight falls on its other places, over {1} texts"),
       tr_later("no word stands here twice; "), 3},
      {"role:induction", tr_later("induction"), tr_later("{} recalls what came next:"),
       tr_later("{0} of the weight falls on what came next the last time, over random tokens said twice"),
       tr_later("nothing repeats here; "), 8},
      {"role:punctuation", tr_later("punctuation"), tr_later("{} looks at punctuation:"),
       tr_later("{0} of the weight falls on punctuation, over {1} texts"), tr_later("there is no punctuation to look at; "), 6},
      {"role:adjective", tr_later("adjective to noun"), tr_later("{} joins adjectives to their noun:"),
       tr_later("{0} of a noun's weight falls on its adjectives, over {1} texts"),
       tr_later("no noun known to it has an adjective here; "), 5},
      {"role:alignment", tr_later("alignment"), tr_later("{} aligns the words:"),
       tr_later("{0} of the weight falls on the word that is translated, over {1} pairs"), nullptr, 7},
  };
  return kRoles[static_cast<std::size_t>(pattern)];
}

figures::Color hue_of(HeadPattern pattern, const figures::Theme& theme) {
  return theme.hues[static_cast<std::size_t>(words_of(pattern).hue)];
}

const HeadPattern* role_of_filter(const std::string& filter) {
  for (const HeadPattern& pattern : kHeadPatterns)
    if (filter == words_of(pattern).id) return &pattern;
  return nullptr;
}

std::string with_warning(const std::string& words) {
  return fill(
      tr("{0}. {1}."),
      {words, tr("A name says what a head looks at, not what the model's answer depends on: attention is not explanation")});
}

}  // namespace headlight
