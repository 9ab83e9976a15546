// Another program that is given bytes on its standard input: what copies a picture to the clipboard. No shell in between.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// The file that a program's name stands for on PATH; none: it is not there.
std::optional<std::string> find_program(const std::string& name);

// Starts `arguments` (the first is the program, looked for on PATH), writes `input` to it and waits until it ends, at most
// `seconds`: then it is ended. Its own output goes nowhere. Errors: it cannot be started, ends with another status than 0,
// or takes too long.
Status feed_program(const std::vector<std::string>& arguments, std::string_view input, double seconds);

}  // namespace headlight
