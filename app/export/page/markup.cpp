#include "app/export/page/markup.h"

namespace headlight::page {

std::string escaped_markup(std::string_view text) {
  std::string out;
  for (const char c : text) {
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      case '\'': out += "&#39;"; break;
      case '\0': break;  // HTML has none
      default: out += c;
    }
  }
  return out;
}

}  // namespace headlight::page
