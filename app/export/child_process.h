// Runs another program that reads bytes from its standard input; used to copy a picture to the clipboard. No shell is involved.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// The file on PATH for a program's name; none if it is not installed.
std::optional<std::string> find_program(const std::string& name);

// Starts `arguments` (the first is the program, looked up on PATH), writes `input` to it and waits until it ends. After `seconds`
// it is killed. Its output is discarded. Errors: it cannot be started, ends with a status other than 0, or takes too long.
Status feed_program(const std::vector<std::string>& arguments, std::string_view input, double seconds);

}  // namespace headlight
