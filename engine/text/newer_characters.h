// The characters that Unicode 15 and 16 added, which the libraries' tables here do not have yet, and the tables of other
// tokenizers do.
#pragma once

#include <string>
#include <string_view>

namespace headlight::text {

// An older character of the same category, of the same length in UTF-8 and mostly of the same script; of an older character
// itself. older_alike(U+2EBF0), an ideograph of Unicode 15.1, is U+20000.
char32_t older_alike(char32_t c);
// The text with such characters in the place of newer ones, as long as it was; empty: it has no newer ones.
std::string with_older_characters(std::string_view text);

}  // namespace headlight::text
