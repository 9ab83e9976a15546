// The script of a character, as published tokenizers tell scripts apart.
#pragma once

namespace headlight::text {

// A number for the script of `c`; 0: it has none. Kana and the long vowel sign count as Chinese characters.
// script_of(U'a') and script_of(U'\u00e9') are the same number, script_of(U'1') is another.
int script_of(char32_t c);

}  // namespace headlight::text
