// The direction that a text is written in.
#pragma once

#include <string_view>

namespace headlight {

// Whether a text runs from right to left: its first letter is of Hebrew, Arabic or another script that does.
// reads_right_to_left("12 שלום") is true, reads_right_to_left("shalom שלום") is false.
bool reads_right_to_left(std::string_view text);

}  // namespace headlight
