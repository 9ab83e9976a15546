#include "engine/tokenizers/models/byte_tokens.h"

#include "engine/text/display.h"

namespace headlight::tokenizers {
namespace {

int digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

}  // namespace

std::string byte_token(unsigned char byte) { return "<" + text::display_byte(byte) + ">"; }

int byte_of_token(std::string_view piece) {
  if (piece.size() != 6 || !piece.starts_with("<0x") || piece[5] != '>') return -1;
  const int high = digit(piece[3]), low = digit(piece[4]);
  return high < 0 || low < 0 ? -1 : 16 * high + low;
}

int byte_of_any_token(std::string_view piece) {
  std::string capital(piece.substr(0, 6));
  for (std::size_t i = 3; i < 5 && i < capital.size(); ++i) {
    if (capital[i] >= 'a' && capital[i] <= 'f') capital[i] = static_cast<char>(capital[i] - 'a' + 'A');
    if (capital[i] == '+' && i == 3) capital[i] = '0';
  }
  return piece.size() == capital.size() ? byte_of_token(capital) : -1;
}

}  // namespace headlight::tokenizers
