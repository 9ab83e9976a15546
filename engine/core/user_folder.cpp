#include "engine/core/user_folder.h"

#include <cstdlib>

namespace headlight {

namespace fs = std::filesystem;

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

fs::path user_folder(const char* xdg, const char* in_home) {
  if (const std::string own = environment("HEADLIGHT_CONFIG_DIR"); !own.empty()) return own;
  // The XDG specification says that a relative path is to be ignored.
  if (const fs::path named = environment(xdg); named.is_absolute()) return named / "headlight";
  const std::string home = environment("HOME");
  return (home.empty() ? fs::temp_directory_path() : fs::path(home)) / in_home / "headlight";
}

fs::path own_models_folder() { return user_folder("XDG_DATA_HOME", ".local/share") / "models"; }

}  // namespace headlight
