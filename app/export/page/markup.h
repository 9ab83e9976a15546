// Text inside HTML.
#pragma once

#include <string>
#include <string_view>

namespace headlight::page {

// escaped_markup("a < b") is "a &lt; b"; also within an attribute's quotation marks.
std::string escaped_markup(std::string_view text);

}  // namespace headlight::page
