#include "app/figures/explanation/role_words.h"

#include <iterator>

#include "app/text/language.h"

namespace headlight {

const RoleWords& words_of(HeadPattern pattern) {
  // In the order of HeadPattern. The first hue is amber, which means selected; roles that are kin share one.
  static constexpr RoleWords kRoles[] = {
      {"role:previous", tr_later("previous token"), tr_later("{} looks at the token before:"),
       tr_later("{0} of the weight falls on the token before, over {1} texts"), nullptr, 1},
      {"role:next", tr_later("next token"), tr_later("{} looks at the token after:"),
       tr_later("{0} of the weight falls on the token after, over {1} texts"), nullptr, 2},
      {"role:first", tr_later("first token"), tr_later("{} rests on the first token:"),
       tr_later("{0} of the weight falls on the first token, over {1} texts"), nullptr, 4},
      {"role:sentence", tr_later("start of sentence"), tr_later("{} looks at the start of the sentence:"),
       tr_later("{0} of the weight falls on the first token of the own sentence, from the second sentence on, over {1} texts"),
       tr_later("there is only one sentence here; "), 4},
      {"role:same", tr_later("same word"), tr_later("{} looks at the same word elsewhere:"),
       tr_later("{0} of a repeated word's weight falls on its other places, over {1} texts"),
       tr_later("no word stands here twice; "), 3},
      {"role:induction", tr_later("induction"), tr_later("{} recalls what came next:"),
       tr_later("{0} of the weight falls on what came next the last time, over random tokens said twice"),
       tr_later("nothing repeats here; "), 8},
      {"role:punctuation", tr_later("punctuation"), tr_later("{} looks at punctuation:"),
       tr_later("{0} of the weight falls on punctuation, over {1} texts"), tr_later("there is no punctuation to look at; "), 6},
      {"role:previous_punctuation", tr_later("previous punctuation"), tr_later("{} looks at the punctuation before:"),
       tr_later("{0} of the weight falls on the last punctuation before, over {1} texts"),
       tr_later("there is no punctuation to look at; "), 6},
      {"role:pieces", tr_later("pieces of one word"), tr_later("{} joins the pieces of a word:"),
       tr_later("{0} of the weight of a word's piece falls on its other pieces, over {1} texts"),
       tr_later("no word is cut here; "), 10},
      {"role:adjective", tr_later("adjective to noun"), tr_later("{} joins adjectives to their noun:"),
       tr_later("{0} of a noun's weight falls on its adjectives, over {1} texts"),
       tr_later("no noun known to it has an adjective here; "), 5},
      {"role:determiner", tr_later("determiner and noun"), tr_later("{} joins nouns and their determiners:"),
       tr_later("of {0} of the nouns and their determiners one looks most at the other, over {1} marked texts"), nullptr, 9},
      {"role:subject", tr_later("subject and verb"), tr_later("{} joins verbs and their subjects:"),
       tr_later("of {0} of the verbs and their subjects one looks most at the other, over {1} marked texts"), nullptr, 9},
      {"role:object", tr_later("verb and object"), tr_later("{} joins verbs and their objects:"),
       tr_later("of {0} of the verbs and their objects one looks most at the other, over {1} marked texts"), nullptr, 9},
      {"role:pronoun", tr_later("pronoun and its noun"), tr_later("{} joins pronouns and their nouns:"),
       tr_later("of {0} of the pronouns and their nouns one looks most at the other, over {1} marked texts"), nullptr, 9},
      {"role:pair", tr_later("quotes and brackets"), tr_later("{} joins the two ends of quotations and brackets:"),
       tr_later("of {0} of the quotation marks and brackets one looks most at its partner, over {1} marked texts"), nullptr, 11},
      {"role:alignment", tr_later("alignment"), tr_later("{} aligns the words:"),
       tr_later("{0} of the weight falls on the word that is translated, over {1} pairs"), nullptr, 7},
  };
  static_assert(std::size(kRoles) == kHeadPatterns.size());
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
