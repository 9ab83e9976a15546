// The option --backend: which of the registry's backends computes.
#pragma once

#include <memory>
#include <string>

#include "app/cli/arguments.h"
#include "engine/backends/base/backend.h"

namespace headlight::cli {

void add_backend_option(Arguments& arguments, std::string& id, const std::string& more = {});
// An unknown name is a usage error; a backend that is not available here (no GPU) is another kind of error.
Result<std::shared_ptr<backends::Backend>> open_backend(const std::string& id);
// The same, but if the backend is not available here, the CPU computes, and one line on stderr says so. For pictures.
// Measurements, and arrays that check a backend, must use the backend they asked for.
Result<std::shared_ptr<backends::Backend>> open_backend_or_cpu(const std::string& id);

}  // namespace headlight::cli
