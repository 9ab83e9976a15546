// The option --budget, the largest memory of a trace, and other options with a size.
#pragma once

#include <cstdint>
#include <string>

#include "app/cli/arguments.h"
#include "engine/core/status.h"

namespace headlight::cli {

// add_budget_option(arguments, text) reads "--budget 16GB" into `text`; budget_from(text) makes the number.
void add_budget_option(Arguments& arguments, std::string& text);

// The bytes of "16GB", "512 MiB" or "3e9"; RunOptions' own budget for an empty text. Errors: no size (usage); more than the
// machine's memory.
Result<std::uint64_t> budget_from(const std::string& text);
// The bytes of a size that `option` was given. Error (usage): no size. size_from("--file-size", "1GB") gives 1,000,000,000.
Result<std::uint64_t> size_from(const char* option, const std::string& text);

}  // namespace headlight::cli
