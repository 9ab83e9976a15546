#include "app/cli/backend_option.h"
#include "engine/backends/backends.h"

#include <cstdio>

namespace headlight::cli {

void add_backend_option(Arguments& arguments, std::string& id, const std::string& more) {
  std::string known;
  for (const backends::Entry& entry : backends::registry().entries()) known += (known.empty() ? "" : ", ") + entry.id;
  arguments.option("--backend", id, "where to compute: " + known + more).shows_default();
}

Result<std::shared_ptr<backends::Backend>> open_backend(const std::string& id) {
  if (id.starts_with("cuda:")) {
    auto backend = backends::open(id);
    return !backend && backend.error().kind == ErrorKind::usage
               ? usage_error(backend.error().what).at("--backend").mend(backend.error().mend)
               : std::move(backend);
  }
  if (auto entry = backends::registry().get(id); !entry)
    return usage_error(entry.error().what).at("--backend").mend(entry.error().mend);
  return backends::open(id);
}

Result<std::shared_ptr<backends::Backend>> open_backend_or_cpu(const std::string& id) {
  auto backend = open_backend(id);
  if (backend || backend.error().kind == ErrorKind::usage || id == "cpu") return backend;
  std::fprintf(stderr, "headlight: computed on cpu instead of %s: %s\n", id.c_str(), backend.error().sentence().c_str());
  return backends::open("cpu");
}

}  // namespace headlight::cli
