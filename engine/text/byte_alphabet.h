// The byte alphabet of byte-level BPE: every byte has a visible character, so that pieces are texts. Printable ASCII and
// Latin-1 bytes stand for themselves, the other 68 become U+0100, U+0101, ... in order; so a space is "Ġ" (U+0120) and a
// newline "Ċ" (U+010A). Radford et al. 2019 (GPT-2).
#pragma once

#include <string>
#include <string_view>

namespace headlight::text {

const std::string& byte_piece(unsigned char byte);  // UTF-8 of the byte's character
// The text with every byte written as its character.
std::string to_byte_pieces(std::string_view bytes);
bool is_byte_pieces(std::string_view pieces);  // every character is one of the alphabet
// The inverse; a character outside the alphabet stays as it is.
std::string from_byte_pieces(std::string_view pieces);

}  // namespace headlight::text
