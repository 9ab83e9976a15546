// ConfigurationFolder: a configuration folder of one test, so that the user's own files, lessons and models are not touched.
#pragma once

#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace headlight::test {

class ConfigurationFolder {
 public:
  ConfigurationFolder()
      : path(std::filesystem::temp_directory_path() / ("headlight-configuration-" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(path);
    ::setenv("HEADLIGHT_CONFIG_DIR", path.c_str(), 1);
  }
  ~ConfigurationFolder() {
    ::unsetenv("HEADLIGHT_CONFIG_DIR");
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
  }
  const std::filesystem::path path;
};

}  // namespace headlight::test
