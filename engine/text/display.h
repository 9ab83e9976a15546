// Pieces of text as a person sees them: nothing is invisible, and nothing is replaced by a question mark.
#pragma once

#include <string>
#include <string_view>

namespace headlight::text {

// Space as "·", newline "↵", tab "⇥"; a byte that is part of a cut character as "0xE2"; other whitespace and characters that
// draw nothing by themselves as "U+200D"; a combining mark without its base on a dotted circle. A joiner or variation
// selector inside a visible sequence (an emoji family) stays as it is. The result is valid UTF-8.
std::string display_text(std::string_view piece);

// "0xE2"
std::string display_byte(unsigned char byte);

}  // namespace headlight::text
