// Byte tokens: pieces such as "<0xE2>" that stand for one byte each, so that a text with unseen characters is not lost.
#pragma once

#include <string>
#include <string_view>

namespace headlight::tokenizers {

std::string byte_token(unsigned char byte);  // "<0xE2>"
int byte_of_token(std::string_view piece);   // 0 .. 255; -1: this is no byte token
// The same as the library tokenizers decodes it, also of "<0xe2>" and "<0x+A>".
int byte_of_any_token(std::string_view piece);

}  // namespace headlight::tokenizers
