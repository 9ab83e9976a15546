#include "app/text/direction.h"

#include "engine/text/utf8.h"

namespace headlight {
namespace {

// The blocks of scripts that run from right to left (Unicode 15, Blocks.txt), with their signs.
bool is_turned(char32_t c) {
  return (c >= 0x0590 && c <= 0x08FF) || (c >= 0xFB1D && c <= 0xFDFF) || (c >= 0xFE70 && c <= 0xFEFE) ||
         (c >= 0x10800 && c <= 0x10FFF) || (c >= 0x1E800 && c <= 0x1EFFF) || c == 0x200F;
}
// Letters of all other scripts, or what stands among them; digits, spaces and punctuation have no direction of their own.
bool is_level(char32_t c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= 0x00C0 && c < 0x0590) || (c >= 0x0900 && c < 0x2000) ||
         (c >= 0x2C00 && c < 0xFB1D) || (c >= 0x10000 && c < 0x10800) || (c >= 0x11000 && c < 0x1E800);
}

}  // namespace

bool reads_right_to_left(std::string_view text) {
  int direction = 0;
  text::for_each_code_point(text, [&](std::int64_t, const text::CodePoint& c) {
    if (direction == 0) direction = is_turned(c.value) ? -1 : is_level(c.value) ? 1 : 0;
  });
  return direction < 0;
}

}  // namespace headlight
