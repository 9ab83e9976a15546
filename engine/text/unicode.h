// The kinds of characters: general categories (utf8proc's tables: Unicode 15.0 in version 2.8) and the few properties that
// splitting text needs.
#pragma once

namespace headlight::text {

bool is_letter(char32_t c);           // general category L*, in Unicode 16
bool is_number(char32_t c);           // N*, in Unicode 16
bool is_mark(char32_t c);             // M*
bool is_nonspacing_mark(char32_t c);  // Mn
bool is_accent(char32_t c);           // the same, as far as BERT's tokenizers know them
bool is_whitespace(char32_t c);       // property White_Space: \s in a Unicode regular expression
// Punctuation as BERT splits it: category P*, and every ASCII character that is neither letter, digit, space nor control.
bool is_punctuation(char32_t c);
// The characters that BERT leaves out: controls (newlines and tabs too), format characters, private ones, surrogates.
bool is_control(char32_t c);
// The blocks of Chinese characters that BERT takes one by one: CJK unified and compatibility ideographs, not kana or Hangul.
bool is_ideograph(char32_t c);
// A character of a word: \w in a Unicode regular expression (alphabetic, a mark, a decimal digit, connecting punctuation, a
// joiner).
bool is_word(char32_t c);
// Draws nothing by itself: controls, format characters (joiners, direction marks), variation selectors, unassigned.
bool is_invisible(char32_t c);
bool is_unassigned(char32_t c);  // in the tables' Unicode version
char32_t to_lower(char32_t c);   // simple case mapping
const char* unicode_version();   // "15.0.0"

}  // namespace headlight::text
