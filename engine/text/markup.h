// Text inside XML and HTML.
#pragma once

#include <string>
#include <string_view>

namespace headlight::text {

// escaped_markup("a < b") is "a &lt; b"; also within an attribute's double quotation marks. NUL, which neither has, is left out.
std::string escaped_markup(std::string_view text);

}  // namespace headlight::text
