// Runs another program that reads bytes from its standard input; used to copy a picture to the clipboard. No shell is involved.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/core/status.h"

namespace headlight {

// The path of the named program's file, found on PATH; none if the program is not installed.
std::optional<std::string> find_program(const std::string& name);

// Starts the program arguments[0] (looked up on PATH) with the other arguments, writes `input` to its standard input and waits
// until it ends. After `seconds` the program is killed. Its output is discarded. Errors (io): the program cannot be started, ends
// with a status other than 0, does not read all of `input`, or takes too long.
// feed_program({"sh", "-c", "cat > file"}, bytes, 5) writes `bytes` into `file`, or fails after 5 seconds.
Status feed_program(const std::vector<std::string>& arguments, std::string_view input, double seconds);

}  // namespace headlight
