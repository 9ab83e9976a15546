// Where a command's results go: standard output, and the files that its options name.
#pragma once

#include <string>

#include "engine/core/status.h"

namespace headlight::cli {

// Prints to standard output. Error: it could not be written.
Status print(const std::string& text);

// The exit status of a command that ended with `status`: a success counts only if all that it printed was written. Else it says
// so on stderr.
int status_with_output(int status);

// The file that `--out` names. "-" is standard output, unless that is a terminal (usage). Error (usage): the file is `in`, which
// would be lost; `in` may be empty.
Result<std::string> output_file(const std::string& out, const std::string& in = {});

}  // namespace headlight::cli
