#include "app/cli/backend_option.h"

#include <CLI/CLI.hpp>

namespace headlight::cli {

void add_backend_option(CLI::App& app, std::string& id) {
  std::string known;
  for (const backends::Entry& entry : backends::registry().entries()) known += (known.empty() ? "" : ", ") + entry.id;
  app.add_option("--backend", id, "where to compute: " + known)->capture_default_str();
}

Result<std::shared_ptr<backends::Backend>> open_backend(const std::string& id) {
  if (auto entry = backends::registry().get(id); !entry) return usage_error(entry.error().what, "--backend", entry.error().mend);
  return backends::open(id);
}

}  // namespace headlight::cli
