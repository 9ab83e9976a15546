// --backend: which of the registry's backends computes.
#pragma once

#include <memory>
#include <string>

#include "app/cli/arguments.h"
#include "engine/backends/base/backend.h"

namespace headlight::cli {

void add_backend_option(Arguments& arguments, std::string& id, const std::string& more = {});
// An unknown name is wrong usage; one that cannot be had here (no GPU) is not.
Result<std::shared_ptr<backends::Backend>> open_backend(const std::string& id);
// The same, but where it cannot be had here the processor computes, and one line on stderr says so. For pictures; a measurement,
// and arrays that check a backend, want what they asked for.
Result<std::shared_ptr<backends::Backend>> open_backend_or_cpu(const std::string& id);

}  // namespace headlight::cli
