#include "engine/text/markup.h"

namespace headlight::text {

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\0': break;
      default: out += c;
    }
  }
  return out;
}

}  // namespace headlight::text
