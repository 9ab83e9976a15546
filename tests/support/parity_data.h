// Published data for tests, found through HEADLIGHT_PARITY_DATA; without it, tests that need it are skipped.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace headlight::test {

// The folder; empty if the variable is not set.
inline std::filesystem::path parity_data() {
  const char* folder = std::getenv("HEADLIGHT_PARITY_DATA");
  return folder ? std::filesystem::path(folder) : std::filesystem::path();
}

inline std::string read_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

}  // namespace headlight::test

#define HEADLIGHT_NEEDS_PARITY_DATA() \
  if (headlight::test::parity_data().empty()) GTEST_SKIP() << "HEADLIGHT_PARITY_DATA is not set"
