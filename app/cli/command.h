// A command of the `headlight` program. One file a command; registry.cpp has one line for each.
#pragma once

#include <functional>
#include <string>

#include "app/cli/arguments.h"
#include "engine/core/registry.h"
#include "engine/core/status.h"

namespace headlight::cli {

inline constexpr int kDone = 0;
inline constexpr int kCouldNot = 1;  // one line on stderr: what, where, the mend
inline constexpr int kWrongUsage = 2;

struct Entry {
  std::string id;       // "tokenize"
  std::string label;    // one line for the help
  std::string formula;  // unused by commands: empty
  std::string source;   // the row of the material it serves, or empty
  // Declares the options and returns what to do once they are parsed (the exit status).
  std::function<int()> (*define)(Arguments& arguments);
};
const Registry<Entry>& registry();

// Prints "headlight COMMAND: sentence" on stderr; kWrongUsage for ErrorKind::usage, else kCouldNot.
int fail(const std::string& command, const Error& error);

}  // namespace headlight::cli
