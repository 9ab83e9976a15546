// Base64 (RFC 4648), for images in SVG and the document in a PDF's keywords.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace headlight {

std::string to_base64(std::string_view bytes);                  // to_base64("Hi") gives "SGk=".
std::optional<std::string> from_base64(std::string_view text);  // none if the text is not base64

}  // namespace headlight
