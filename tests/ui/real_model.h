// The real language model, for tests that are skipped where it is not.
#pragma once

#include <cstdlib>
#include <filesystem>

#include "app/files/configuration.h"

namespace headlight::test {

constexpr const char* kNoRealModel = "HEADLIGHT_TEST_MODELS names no folder with smollm2";

// Puts smollm2 among the models of the test's configuration folder. False: HEADLIGHT_TEST_MODELS, a folder such as `headlight
// models get` makes, is not set.
inline bool has_real_model() {
  const char* const models = std::getenv("HEADLIGHT_TEST_MODELS");
  if (!models) return false;
  std::filesystem::create_directories(models_path());
  std::filesystem::create_directory_symlink(std::filesystem::path(models) / "smollm2", models_path() / "smollm2");
  return true;
}

}  // namespace headlight::test
