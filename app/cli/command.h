// A command of the `headlight` program. Each command has a file, and a line in registry.cpp.
#pragma once

#include <functional>
#include <string>

#include "app/cli/arguments.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"

namespace headlight::cli {

inline constexpr int kDone = 0;
inline constexpr int kCouldNot = 1;  // one line on stderr: what happened, where, how to fix it
inline constexpr int kWrongUsage = 2;

struct Entry {
  std::string id;       // "tokenize"
  std::string label;    // one line for the help
  std::string formula;  // unused by commands: empty
  std::string source;   // the row of the material that the command belongs to, or empty
  // Declares the options and returns the function that runs after they are read. That function returns the exit status.
  std::function<int()> (*define)(Arguments& arguments);
};
const Registry<Entry>& registry();

// Prints "headlight COMMAND: sentence" on stderr. Returns kWrongUsage for ErrorKind::usage, else kCouldNot.
// fail("trace", usage_error("there is no layer {}", 9).at("--layer").mend("layers go from 0 to 5")) returns kWrongUsage.
int fail(const std::string& command, const Error& error);

}  // namespace headlight::cli
