// The places of a command's results: standard output, and the files that its options name.
#pragma once

#include <string>

#include "engine/core/status.h"

namespace headlight::cli {

// Prints to standard output. Error: standard output could not be written.
Status print(const std::string& text);

// The exit status of a command that ended with `status`. A success becomes kCouldNot, with a line on stderr, if not all of the
// output was written.
int status_with_output(int status);

// The file that `--out` names; "-" is standard output. Errors (usage): standard output is a terminal; the file is `in`, which
// would be lost. `in` may be empty.
// output_file("out.npz", "in.npz") gives "out.npz"; output_file("in.npz", "in.npz") is an error if this file exists.
Result<std::string> output_file(const std::string& out, const std::string& in = {});

// A measured time in us, ms or s with three digits: duration(0.00123) gives "1.23 ms".
std::string duration(double seconds);

// `value` by a format of printf that has one number and at most 60 characters: number_as("%.2f ", 0.5) gives "0.50 ".
std::string number_as(const char* format, double value);

}  // namespace headlight::cli
