// Which language tr() speaks.
#pragma once

#include <string>

namespace headlight {

// "zh"; "en" for English, and for a language that is of no table.
std::string spoken_id();

}  // namespace headlight
