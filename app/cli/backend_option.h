// The option --backend: the registry's backend that computes.
#pragma once

#include <memory>
#include <string>

#include "app/cli/arguments.h"
#include "engine/backends/base/backend.h"

namespace headlight::cli {

// Declares --backend with the ids of all backends in its help, followed by `more`.
// add_backend_option(arguments, id, " or cuda:N") after std::string id = "cpu".
void add_backend_option(Arguments& arguments, std::string& id, const std::string& more = {});
// Opens a backend. An unknown name is a usage error; a backend that is not available here (no GPU) is another kind of error.
Result<std::shared_ptr<backends::Backend>> open_backend(const std::string& id);
// Opens a backend for a picture. If it is not available here, the CPU computes, and one line on stderr says so. Measurements, and
// arrays that check a backend, must use the backend they asked for.
Result<std::shared_ptr<backends::Backend>> open_backend_or_cpu(const std::string& id);

}  // namespace headlight::cli
